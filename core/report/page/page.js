// Filters of the comparison page. Without this script everything is shown. The address keeps what is chosen.
(() => {
  const form = document.getElementById("filters");
  const output = form.querySelector("output");
  const items = [...document.querySelectorAll("article, #failures tbody tr")];
  const rows = [...document.querySelectorAll("article tr[data-verdicts]")];
  const texts = new Map();
  const text = (item) => {
    if (!texts.has(item)) {
      const paper = form.elements.paper.querySelector(`option[value="${item.dataset.paper}"]`);
      texts.set(item, `${paper ? paper.textContent : ""} ${item.textContent}`.toLowerCase());
    }
    return texts.get(item);
  };
  const has = (item, verdict) => !verdict || item.dataset.verdicts.split(",").includes(verdict);
  const chosen = () => Object.fromEntries(new FormData(form));

  function show() {
    const { paper, verdict, kind, scale, words } = chosen();
    const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of items) {
      const { paper: ofPaper, kind: ofKind, scale: atScale } = item.dataset;
      item.hidden = !(
        (!paper || paper === ofPaper) && (!kind || kind === ofKind) && (!scale || scale === atScale) &&
        has(item, verdict) && wanted.every((word) => text(item).includes(word))
      );
    }
    for (const row of rows) row.hidden = !has(row, verdict);
    for (const section of document.querySelectorAll("section.paper, #failures")) {
      section.hidden = !items.some((item) => !item.hidden && section.contains(item));
    }
    const counts = document.getElementById("counts");
    if (counts) counts.hidden = Boolean(paper || verdict || kind || scale || wanted.length);
    const articles = items.filter((item) => item.tagName === "ARTICLE");
    output.value = `${articles.filter((item) => !item.hidden).length} of ${articles.length} tables and figures`;
  }

  function remember() {
    const query = new URLSearchParams(Object.entries(chosen()).filter(([, value]) => value)).toString();
    try {
      history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}${location.hash}`);
    } catch { /* some browsers refuse this for a page opened from a disk */ }
    show();
  }

  for (const [name, value] of new URLSearchParams(location.search)) {
    if (form.elements[name]) form.elements[name].value = value;
  }
  form.addEventListener("input", remember);
  form.addEventListener("reset", () => setTimeout(remember));
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("beforeprint", () => {
    for (const image of document.images) image.loading = "eager";
  });
  form.hidden = false;
  show();
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) target.scrollIntoView();
})();
