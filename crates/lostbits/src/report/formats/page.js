for (const button of document.querySelectorAll("button[data-copy]")) {
  button.addEventListener("click", async () => {
    const text = button.dataset.copy;
    let copied = false;
    try {
      await navigator.clipboard.writeText(text);
      copied = true;
    } catch {
      // A page opened from a file may not use the clipboard: select the command instead.
      const range = document.createRange();
      range.selectNodeContents(button.parentElement.querySelector("code"));
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
    }
    button.textContent = copied ? "Copied" : "Selected";
    setTimeout(() => (button.textContent = "Copy"), 1500);
  });
}
