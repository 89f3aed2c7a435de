"""The check of links finds each kind of link that leads nowhere."""

from __future__ import annotations

import pytest

from docs.pages.links import broken, read


@pytest.fixture
def site(tmp_path):
    def make(link: str, tag: str = "a", attribute: str = "href") -> list[str]:
        (tmp_path / "inner").mkdir(exist_ok=True)
        (tmp_path / "inner" / "index.html").write_text('<h1 id="top">Top</h1><a name="old"></a>')
        (tmp_path / "picture one.png").write_bytes(b"")
        (tmp_path / "page.html").write_text(f'<p id="here"><{tag} {attribute}="{link}"></p>')
        return list(broken(tmp_path, read(tmp_path)))

    return make


GOOD = (
    "#here",
    "page.html#here",
    "inner/",
    "inner/index.html#top",
    "inner#old",
    "/page.html",
    "picture%20one.png",
    "page.html?q=1",
)


@pytest.mark.parametrize("link", [*GOOD, "https://example.org/a#b", "mailto:a@example.org"])
def test_good_links(site, link):
    assert site(link) == []


@pytest.mark.parametrize(
    "link, said",
    [
        ("#there", "no place 'there' on that page"),
        ("inner/index.html#bottom", "no place 'bottom' on that page"),
        ("none.html", "no such file"),
        ("../page.html", "no such file"),
        ("https://", "is no address"),
        ("https://exa mple.org", "is no address"),
        ("javascript:alert(1)", "is no address"),
        ("http://[::1", "Invalid IPv6 URL"),
    ],
)
def test_bad_links(site, link, said):
    assert site(link) == [f"page.html: {link}: {said}"]


@pytest.mark.parametrize("tag, attribute", [("img", "src"), ("script", "src"), ("link", "href")])
def test_pictures_programs_and_styles_count_as_links(site, tag, attribute):
    assert site("none.css", tag, attribute) == ["page.html: none.css: no such file"]
