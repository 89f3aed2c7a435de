"""The fused engine against the torch engine on the same batches and normals: on a CUDA device where there is one,
otherwise in Triton's interpreter, which runs the kernel's statements with NumPy."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.foundation.randomness import make_generators
from core.models.bohamiann import BayesianNetwork
from core.models.engines.choice import ReferenceEngine, make_engine
from core.models.engines.fused import FusedEngine
from core.models.priors import LogNormalNoise
from core.samplers import SGHMC, SGLD, AdaptiveSGHMC
from tests.core.models.engines.problems import make_problem

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
pytestmark = pytest.mark.skipif(find_spec("triton") is None, reason="needs Triton")


def philox(counters: np.ndarray, key: tuple[int, int], rounds: int) -> np.ndarray:
    """Philox4x32 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011), counters (n, 4) uint32."""
    c = counters.astype(np.uint64)
    k0, k1 = key
    for _ in range(rounds):
        first, second = c[:, 0] * np.uint64(0xD2511F53), c[:, 2] * np.uint64(0xCD9E8D57)
        high, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        c = np.stack(
            [
                (second >> high) ^ c[:, 1] ^ np.uint64(k0),
                second & low,
                (first >> high) ^ c[:, 3] ^ np.uint64(k1),
                first & low,
            ],
            1,
        )
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return c.astype(np.uint32)


def normals(seed: int, step: int, stream: int, places: int) -> np.ndarray:
    """Four standard normals for each place, (4, places), by Box and Muller."""
    counters = np.zeros((places, 4), np.uint32)
    counters[:, 0], counters[:, 1], counters[:, 2] = np.arange(places), step, stream
    words = philox(counters, (seed & 0xFFFFFFFF, seed >> 32), rounds=7).view(np.int32).astype(np.float64)
    u = np.where(words < 0, -words - 1, words).T * 2.0**-31
    radius, angle = np.sqrt(-2 * np.log(np.maximum(u[::2], 1e-7))), 2 * np.pi * u[1::2]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(4, places)


def replayed_noise(engine: FusedEngine) -> torch.Tensor:
    """The standard normals of the engine's next step, (chains, P_w + 1), in the order of the padded parameters."""
    rows, H, hidden = [], engine.width, len(engine.problem.network.sizes) - 2
    for seed in map(int, engine.seeds.cpu()):
        step = engine.steps_done
        b1, b2, b3, w = normals(seed, step, 0, H)
        square = normals(seed, step, 1, H * H)
        inner = [square[0], b2, square[1], b3][: 2 * (hidden - 1)]
        lowest, ends = normals(seed, step, 2, engine.side * H)[0], normals(seed, step, 3, 2)[0]
        row = np.concatenate([lowest, b1, *inner, w, ends])
        rows.append(np.pad(row, (0, engine.size - len(row))))
    return engine.unpack(torch.from_numpy(np.array(rows)).float().to(engine.seeds.device))


def on_device(*arguments, **settings):
    """The same as `make_problem` on the device of these tests."""
    problem, theta, precision = make_problem(*arguments, **settings)
    moved = {name: getattr(problem, name).to(DEVICE) for name in ("X", "y", "covered")}
    return replace(problem, **moved), theta.to(DEVICE), precision.to(DEVICE)


def engines(problem, sampler, theta, precision):
    state, generators = sampler.init(theta), make_generators([7, 8], DEVICE)
    fused = FusedEngine(problem, sampler, state, generators, products=("tf32x3", "tf32x3"))  # as exact as the reference
    reference = ReferenceEngine(problem, sampler, sampler.init(theta), make_generators([7, 8], DEVICE))
    reference.precisions[:, :-1] = precision[:, None] * reference.covered
    return fused, reference


def test_philox_has_the_published_answers():
    """Of its authors' kat_vectors: counter and key of zeros, and of ones, with ten rounds."""
    zeros, ones = np.zeros((1, 4), np.uint32), np.full((1, 4), 0xFFFFFFFF, np.uint32)
    assert philox(zeros, (0, 0), 10).tolist() == [[0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]]
    assert philox(ones, (0xFFFFFFFF,) * 2, 10).tolist() == [[0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]]


@pytest.mark.parametrize(
    "sampler", [AdaptiveSGHMC(step_size=0.05, momentum_decay=0.3, raise_friction=True), SGHMC(2e-3, noise_estimate=3.0)]
)
@pytest.mark.parametrize(
    "sizes, batch_size, others",
    [
        ((5, 11, 7, 1), 6, {}),
        ((1, 50, 1), 1, {}),
        ((2, 3, 17, 16, 1), 23, {"mean": "sigmoid", "weight": 0.2}),
    ],
)
def test_steps_equal_the_reference(sizes, batch_size, others, sampler):
    problem, theta, precision = on_device(sizes, batch_size=batch_size, **others)
    fused, reference = engines(problem, sampler, theta, precision)
    runs = torch.arange(problem.chains, device=DEVICE) // problem.chains_per_run
    for step in range(6):
        if step == 4:
            fused.freeze()
            reference.freeze()
        batches_done, order, states = fused.batches_done, fused.order, [g.get_state() for g in fused.generators]
        points = fused.next_batches(1).long()
        fused.batches_done, fused.order = batches_done, order
        for generator, state in zip(fused.generators, states):
            generator.set_state(state)
        noise = replayed_noise(fused)
        fused.advance(1, precision)
        reference.step(problem.X[runs[:, None], points], problem.y[runs[:, None], points], noise)
        torch.testing.assert_close(fused.position(), reference.position(), rtol=2e-4, atol=2e-4)
    torch.testing.assert_close(fused.state().velocity, reference.state().velocity, rtol=1e-3, atol=1e-4)
    assert (theta - fused.position()).abs().max() > 1e-3


def test_padding_stays_zero_and_launches_may_be_split():
    problem, theta, precision = on_device()
    ends = []
    for blocks in ((4,), (1, 3)):
        engine = FusedEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(theta), make_generators([7, 8], DEVICE))
        batches = engine.next_batches(4)  # the same for both: drawn in one call
        places = iter(batches.split([problem.batch * steps for steps in blocks], 1))
        engine.next_batches = lambda steps: next(places).contiguous()  # noqa: B023
        for steps in blocks:
            engine.advance(steps, precision)
        ends.append(engine.position())
        outside = torch.ones(engine.size, dtype=torch.bool, device=DEVICE)
        outside[engine.places] = False
        assert not engine.chains.position[:, outside].any() and not engine.chains.velocity[:, outside].any()
    torch.testing.assert_close(*ends, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("calls", [(9,), (1, 1, 7), (2, 3, 4)])
def test_an_epoch_has_each_point_once_at_most(calls):
    problem, theta, _ = on_device(points=23, batch_size=6)
    engine = FusedEngine(problem, AdaptiveSGHMC(), AdaptiveSGHMC().init(theta), make_generators([7, 8], DEVICE))
    points = torch.cat([engine.next_batches(steps) for steps in calls], 1)
    assert points.shape == (problem.chains, 9 * 6) and not torch.equal(points[0], points[1])
    for epoch in points.split(3 * 6, 1):  # three whole batches; five points are left out
        assert all(len(row.unique()) == 18 for row in epoch)


def test_what_it_does_not_cover():
    problem, theta, _ = on_device()
    generators = make_generators([7, 8], DEVICE)
    wide, long = on_device(sizes=(2, 65, 1)), on_device(sizes=(2, 3, 3, 3, 3, 1))
    for (other, start, _), sampler, obstacle in (
        ((problem, theta, None), SGLD(1e-3), "the sampler SGLD"),
        ((problem, theta.double(), None), AdaptiveSGHMC(), "torch.float64 on"),
        *(
            [(wide, AdaptiveSGHMC(), "a layer of 65 units"), (long, AdaptiveSGHMC(), "4 hidden layers")]
            if DEVICE == "cuda"
            else []
        ),
        *([((problem, theta, None), AdaptiveSGHMC(), "torch.float32 on cpu")] if DEVICE == "cpu" else []),
    ):
        with pytest.raises(UserError, match=f"'fused' does not cover {obstacle}"):
            make_engine("fused", other, sampler, sampler.init(start), generators)
        assert not isinstance(make_engine("auto", other, sampler, sampler.init(start), generators), FusedEngine)


@pytest.mark.cuda
def test_the_posterior_is_that_of_the_cpu():
    """Means and spreads of predictions over many chains, within Monte-Carlo error and discretisation."""
    X = torch.linspace(0, 1, 15, dtype=torch.float64)[:, None]
    y = torch.sin(6 * X[:, 0])
    settings = {"widths": (50, 50), "burn_in": 2000, "steps": 6000, "thinning": 200, "batch_size": 5, "chains": 64}
    moments = []
    for device in ("cuda", "cpu"):
        model = BayesianNetwork(device=device, noise_prior=LogNormalNoise(-4.0, 0.1), **settings)
        model.fit(X.to(device), y.to(device), make_generators([1], device))
        mean, variance = model.moments(torch.linspace(-0.2, 1.2, 20, dtype=torch.float64, device=device)[:, None])
        moments.append((mean.cpu(), variance.sqrt().cpu()))
    (mean, deviation), (other_mean, other_deviation) = moments
    assert ((mean - other_mean).abs() < 0.25 * other_deviation).all()
    torch.testing.assert_close(deviation, other_deviation, rtol=0.2, atol=0.0)


@pytest.mark.cuda
def test_auto_takes_it_on_a_device():
    problem, theta, _ = on_device()
    state = AdaptiveSGHMC().init(theta)
    assert isinstance(
        make_engine("auto", problem, AdaptiveSGHMC(), state, make_generators([7, 8], DEVICE)), FusedEngine
    )


def test_it_compiles_for_a_device():
    """In a process of its own, where Triton compiles: within the 227 kB of shared memory of a multiprocessor."""
    command = [sys.executable, "-m", "tests.core.models.engines.compile_fused"]
    environment = {**os.environ, "TRITON_INTERPRET": "0"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parents[4])
    assert done.returncode == 0, done.stderr
    assert 0 < max(map(int, done.stdout.strip("[]\n").split(","))) <= 227 * 1024
