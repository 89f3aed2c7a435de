"""The site's pages, written from the repository: `make docs` runs `python -m docs.pages` and then MkDocs.

`copied` takes over READMEs and pages as they are, `methods` writes a page for each method of `minimize`, `reference`
one for each package with public names, `examples` one for each program; `links` checks what MkDocs has made of them.
"""
