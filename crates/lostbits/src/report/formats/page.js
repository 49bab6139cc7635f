for (const button of document.querySelectorAll("button[data-copy]")) {
  let reset;
  const show = label => {
    button.textContent = label;
    clearTimeout(reset);
    reset = setTimeout(() => (button.textContent = "Copy"), 1500);
  };
  button.addEventListener("click", () => {
    /* A browser may refuse the clipboard to a page opened from a file, or never answer: the command is selected in any case. */
    const range = document.createRange();
    range.selectNodeContents(button.parentElement.querySelector("code"));
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    show("Selected");
    navigator.clipboard?.writeText(button.dataset.copy).then(() => show("Copied"), () => {});
  });
}
