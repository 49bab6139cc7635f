//! Pages in headless Chromium: every link, button, mark and fold is used, and no script error and no access to the network may
//! occur. `make test-html` runs this, and leaves screenshots in target/html to look at.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::sandbox::Sandbox;

/// Uses everything on the page, then puts what happened into its title. Errors before it are seen, too: it comes first.
const PROBE: &str = r##"<script>
const problems = [];
addEventListener("error", event => problems.push("error: " + event.message));
addEventListener("unhandledrejection", event => problems.push("rejected: " + event.reason));
addEventListener("securitypolicyviolation", event => problems.push("blocked: " + event.blockedURI));
addEventListener("load", async () => {
  const all = selector => [...document.querySelectorAll(selector)];
  let used = 0;
  for (const link of all("a[href^='#']")) {
    link.click(); used++;
    if (!document.getElementById(decodeURIComponent(link.hash.slice(1)))) problems.push("nowhere: " + link.hash);
  }
  for (const button of all("button")) {
    button.click(); used++;
    for (let tries = 0; tries < 20 && button.textContent === "Copy"; tries++) {
      await new Promise(done => setTimeout(done, 50));
    }
    if (button.textContent === "Copy") problems.push("silent: " + button.dataset.copy);
  }
  for (const mark of all("mark[tabindex]")) {
    mark.focus(); used++;
    const tip = mark.querySelector(".tip");
    if (getComputedStyle(tip).display === "none") problems.push("hidden: " + tip.textContent);
    mark.blur();
    if (getComputedStyle(tip).display !== "none") problems.push("stays: " + tip.textContent);
  }
  for (const summary of all("summary")) { summary.click(); used++; }
  if (document.documentElement.scrollWidth > innerWidth) problems.push("wider than the window");
  if (performance.getEntriesByType("resource").length) problems.push("loads something");
  document.title = JSON.stringify({ used, marks: all("mark[tabindex]").length, plots: all("svg.plot").length, problems });
});
</script>"##;

fn chromium(arguments: &[String], page: &Path) -> String {
    let profile = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("chromium");
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
        ])
        .args([
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
        ])
        .args(["--hide-scrollbars", "--virtual-time-budget=10000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(arguments)
        .arg(format!("file://{}", page.display()));
    let output = command
        .output()
        .expect("chromium: make test-html installs it");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Light and dark, wide and narrow, for a person to look at.
fn photograph(page: &Path, name: &str) {
    let folder = env::var_os("PICTURES").map(PathBuf::from);
    let Some(folder) = folder else { return };
    fs::create_dir_all(&folder).expect("a folder");
    for (look, size, scheme) in [
        ("light", "1200,1800", 1),
        ("dark", "1200,1800", 0),
        ("narrow", "500,2600", 1),
    ] {
        let file = folder.join(format!("{name}-{look}.png"));
        let arguments = [
            format!("--screenshot={}", file.display()),
            format!("--window-size={size}"),
            format!("--blink-settings=preferredColorScheme={scheme}"),
        ];
        chromium(&arguments, page);
        assert!(file.is_file(), "{}", file.display());
    }
}

#[test]
#[ignore = "needs Chromium: make test-html"]
fn pages_work_in_a_browser() {
    let sandbox = Sandbox::new();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/demo/drop.c");
    sandbox.write("drop.c", fs::read(source).expect("a program"));
    let range = ["--range", "x=1e-9:1"];
    for (name, words, plots) in [
        (
            "program",
            vec!["drop.c", "-O2", "-lm", "--", "0.5", "10", "1000"],
            0,
        ),
        ("formula", [&["(1 - cos(x)) / x^2"], &range[..]].concat(), 1),
    ] {
        let own = ["explain", "--format", "html", "--report", "page.html"];
        let output = sandbox.lostbits(&[&own, &words[..]].concat()).output();
        let code = output.expect("it starts").status.code();
        assert_eq!(code, Some(1), "{name}");
        let page = sandbox.path("page.html");
        photograph(&page, name);
        let text = sandbox
            .read("page.html")
            .replacen("<title>", &format!("{PROBE}<title>"), 1);
        sandbox.write("page.html", text);
        for size in ["1200,900", "400,900"] {
            let arguments = ["--dump-dom".to_owned(), format!("--window-size={size}")];
            let shown = chromium(&arguments, &page);
            let title = shown
                .split("<title>")
                .nth(1)
                .and_then(|rest| rest.split("</title>").next());
            let title = title.unwrap_or_else(|| panic!("no page: {shown}"));
            let found: serde_json::Value = serde_json::from_str(title).expect(title);
            assert_eq!(found["problems"], serde_json::json!([]), "{name} {size}");
            assert!(
                found["used"].as_u64() > Some(8) && found["marks"].as_u64() > Some(0),
                "{title}"
            );
            assert_eq!(found["plots"], plots, "{name}");
        }
    }
}
