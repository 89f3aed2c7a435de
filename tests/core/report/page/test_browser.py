"""The comparison page in a real browser: filters, words, addresses, pictures, widths, contrast and paper."""

from __future__ import annotations

import json

import pytest

from core.report.page.records import to_json
from core.report.statistics.intervals import Interval
from core.report.verdicts.checks import judge
from tests.core.report.page.made_sidecars import PIXEL, page_of, sidecar, table

HOLDS, FAILS = (judge(Interval(value, value - 0.1, value + 0.1), lower=0.0) for value in (1.0, -1.0))
CHOOSE = """
const form = doc.getElementById("filters");
const shown = () => [...doc.querySelectorAll("article")].filter((each) => !each.hidden).map((each) => each.id);
const choose = (values) => {
  form.reset();
  for (const [name, value] of Object.entries(values)) form.elements[name].value = value;
  form.dispatchEvent(new win.Event("input", { bubbles: true }));
  return [shown(), form.querySelector("output").value, win.location.search];
};
"""
CONTRAST = """
const canvas = doc.createElement("canvas").getContext("2d", { willReadFrequently: true });
const opaque = (color) => {
  canvas.fillStyle = color.replace(/\\/ [\\d.]+/, "/ 1").replace(/^rgba\\((.*), [\\d.]+\\)/, "rgb($1)");
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => each / 255);
};
const alpha = (color) => {
  const found = color.match(/\\/ ([\\d.]+)/) || color.match(/^rgba\\(.*, ([\\d.]+)\\)/);
  return found ? Number(found[1]) : 1;
};
const light = (rgb) => rgb.map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
const behind = (element) => {
  const layers = [];
  for (let each = element; each; each = each.parentElement) layers.unshift(win.getComputedStyle(each).backgroundColor);
  return layers.reduce((below, color) => {
    const [a, top] = [alpha(color), opaque(color)];
    return below.map((c, k) => c * (1 - a) + top[k] * a);
  }, [1, 1, 1]);
};
let worst = [99, ""];
for (const element of doc.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.getClientRects().length || ["OPTION", "SCRIPT"].includes(element.tagName)) continue;
  const [a, b] = [light(opaque(win.getComputedStyle(element).color)), light(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < worst[0]) worst = [ratio, `${element.tagName}.${element.className}`];
}
return [worst, win.matchMedia("(prefers-color-scheme: dark)").matches];
"""


@pytest.fixture
def page(tmp_path):
    """The address of a page of three artifacts of two papers."""
    made = [
        sidecar("alpha", "table1", table(0.0), [HOLDS], reduced=True, title="Scores of samplers"),
        sidecar("alpha", "fig1", checks=[FAILS, HOLDS]),
        sidecar("beta", "fig2", checks=[HOLDS], title="Regret of bandits", absent=True),
    ]
    figures = tmp_path / "figures"
    for record in made:
        path = figures / record["paper"] / f"{record['artifact']}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(PIXEL)
    sidecars = [json.loads(to_json(record)) for record in made]
    (figures / "comparison.html").write_text(page_of(figures, sidecars), encoding="utf-8")
    return "figures/comparison.html"


def test_filters_words_and_rows(browser, page):
    script = f"""{CHOOSE}
    const rows = () => [...doc.querySelectorAll("#alpha-fig1 tbody tr")].filter((row) => !row.hidden).length;
    return {{
      all: choose({{}}), paper: choose({{ paper: "beta" }}), kind: choose({{ kind: "table" }}),
      scale: choose({{ scale: "reduced" }}), same: choose({{ verdict: "reproduced" }}),
      fails: [...choose({{ verdict: "fails" }}), rows()], words: choose({{ words: "bandits beta" }}),
      none: [...choose({{ paper: "beta", verdict: "fails" }}), doc.getElementById("failures").hidden,
        doc.getElementById("alpha").hidden],
      failures: [choose({{}}) && doc.querySelectorAll("#failures tbody tr").length, rows()],
    }};"""
    seen, console = browser(page, script)
    every = ["alpha-table1", "alpha-fig1", "beta-fig2"]
    assert seen["all"] == [every, "3 of 3 tables and figures", ""]
    assert seen["paper"] == [["beta-fig2"], "1 of 3 tables and figures", "?paper=beta"]
    assert [seen[name][0] for name in ("kind", "scale", "same")] == 3 * [["alpha-table1"]]
    assert seen["fails"][0] == ["alpha-fig1"] and seen["fails"][3] == 1  # of its two claims
    assert seen["words"][0] == ["beta-fig2"] and seen["none"][0] == [] and seen["none"][3:] == [True, True]
    assert seen["failures"] == [1, 2] and console == []


def test_an_address_holds_the_choice_and_the_button_clears_it(browser, page):
    script = f"""{CHOOSE}
    const before = [shown(), form.elements.verdict.value];
    form.querySelector("button").click();
    await new Promise((done) => setTimeout(done, 100));
    return [...before, shown().length, form.hidden];"""
    seen, console = browser(f"{page}?verdict=fails&paper=alpha", script)
    assert seen == [["alpha-fig1"], "fails", 3, False] and console == []


def test_pictures_load_and_claims_have_anchors(browser, page):
    script = """
    for (const image of doc.images) { image.loading = "eager"; await image.decode(); }
    const targets = [...doc.querySelectorAll('a[href^="#"]')].map((link) => link.getAttribute("href").slice(1));
    return [[...doc.images].map((image) => image.naturalWidth), targets.filter((id) => !doc.getElementById(id))];"""
    assert browser(page, script) == ([[1, 1, 1], []], [])


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_a_phone_or_a_laptop(browser, page, width):
    script = """
    for (const each of doc.querySelectorAll("details")) each.open = true;
    const wide = [...doc.querySelectorAll("table, img, pre")].filter((each) => each.scrollWidth > win.innerWidth);
    return [doc.documentElement.scrollWidth - win.innerWidth, wide.length];"""
    (over, wide), _ = browser(page, script, width)
    assert over <= 0 and wide == 0


@pytest.mark.parametrize("dark", [False, True])
def test_text_has_contrast_in_light_and_dark(browser, page, dark):
    options = ["--blink-settings=preferredColorScheme=0"] if dark else []
    ((worst, where), is_dark), _ = browser(page, CONTRAST, 1280, *options)
    assert is_dark == dark
    assert worst >= 4.5, where  # WCAG AA


def test_every_control_is_reached_by_keyboard_and_named(browser, page):
    script = """
    for (const each of doc.querySelectorAll("details")) each.open = true;
    const controls = [...doc.querySelectorAll("select, input, button, summary, a[href]")];
    const reached = controls.filter((each) => { each.focus(); return doc.activeElement === each; });
    const named = [...doc.querySelectorAll("select, input")].filter((each) => each.labels.length);
    return [controls.length - reached.length, named.length, doc.documentElement.lang];"""
    (unreached, named, language), _ = browser(page, script)
    assert unreached == 0 and named == 5 and language == "en"
