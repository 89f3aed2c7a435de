"""Every paper has the same folders, and what stands in them is found."""

from __future__ import annotations

import ast

import pytest

from core.experiment.schema import split_reference
from tests.papers.functions import PAPERS, all_claims

NAMES = list(PAPERS.valid)


@pytest.mark.parametrize("paper", NAMES)
def test_a_paper_is_a_package_that_imports_nothing(paper):
    folder = PAPERS.root / "papers" / paper
    for file in (folder / "__init__.py", *folder.glob("*/__init__.py")):
        (statement,) = ast.parse(file.read_text()).body
        assert isinstance(statement, ast.Expr), "a docstring alone"
    for name in ("README.md", "paper.yaml", "settings.py"):
        assert (folder / name).is_file()
    assert {path.suffix for path in (folder / "published").glob("*")} <= {".csv"}


@pytest.mark.parametrize("paper", NAMES)
def test_everything_that_paper_yaml_names_has_its_function(paper):
    spec = PAPERS.paper(paper)
    for experiment in spec.experiments.values():
        assert len(PAPERS.paper(paper).functions("experiments").by_name[experiment.function]) == 1
    for artifact in spec.drawings("quick", "reference"):
        assert callable(artifact.function)


@pytest.mark.parametrize("paper", NAMES)
def test_an_experiment_that_no_artifact_draws_is_read_by_others_or_described_in_the_readme(paper):
    papers = PAPERS.valid
    drawn = {
        split_reference(name, home)
        for home in papers
        for a in papers[home].artifacts.values()
        for name in a.experiments
    }
    read = {
        split_reference(name, home)
        for home in papers
        for experiment in papers[home].experiments.values()
        for name in experiment.needs
    }
    readme = (PAPERS.root / "papers" / paper / "README.md").read_text()
    for name in papers[paper].experiments:
        assert (paper, name) in drawn | read or f"`{name}`" in readme, name


@pytest.mark.parametrize("paper", NAMES)
def test_every_check_of_results_is_marked_as_a_claim(paper):
    claims = all_claims(paper)
    assert len({claim.id for claim in claims}) == len(claims)
    public = set()
    for text in PAPERS.paper(paper).functions("claims").texts.values():
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                takes = [argument.arg for argument in node.args.args]
                marked = "shape" in map(ast.unparse, node.decorator_list)
                if takes == ["results"] and ast.unparse(node.returns) == "Check" and not marked:
                    public.add(node.name)
    assert not public
