//! Plain tables: the first column to the left, the others to the right.

pub fn render(header: &[&str], rows: &[Vec<String>]) -> String {
    let width = |column: usize| {
        let cells = rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells
            .chain([header[column].chars().count()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let cells = cells
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| {
                if column == 0 {
                    format!("{cell:<width$}")
                } else {
                    format!("{cell:>width$}")
                }
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let header: Vec<String> = header.iter().map(|&cell| cell.to_owned()).collect();
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut text = line(&header) + &line(&rule);
    rows.iter().for_each(|row| text.push_str(&line(row)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = [
            vec!["a".to_owned(), "1234".to_owned()],
            vec!["long".to_owned(), "5".to_owned()],
        ];
        assert_eq!(
            render(&["name", "n"], &rows),
            "name     n\n----  ----\na     1234\nlong     5\n"
        );
    }
}
