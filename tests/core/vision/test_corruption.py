"""DNGO's corruption: colours against colorsys, windows against plain crops."""

import colorsys

import numpy as np
import pytest
import torch

from core.foundation.errors import UserError
from core.vision import Colours, Windows
from core.vision.augmentation import hsv_of, rgb_of


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def pixels(n: int = 2000) -> torch.Tensor:
    """Random colours, some of them grey, black or white, as images of one pixel."""
    X = torch.rand(n, 3, 1, 1, generator=generator(1))
    X[0], X[1], X[2] = 0.0, 1.0, 0.4
    return X


def test_colours_are_converted_as_in_the_standard_library():
    X = pixels()
    hue, saturation, value = (part[:, 0, 0].numpy() for part in hsv_of(X))
    expected = np.array([colorsys.rgb_to_hsv(*each) for each in X[:, :, 0, 0].double().numpy()])
    np.testing.assert_allclose(hue / 360, expected[:, 0], atol=1e-5)
    np.testing.assert_allclose(saturation, expected[:, 1], atol=1e-5)
    np.testing.assert_allclose(value, expected[:, 2], atol=1e-6)


def test_conversions_are_inverses():
    X = pixels()
    torch.testing.assert_close(rgb_of(*hsv_of(X)), X, atol=1e-5, rtol=0)


def test_without_bounds_colours_stay():
    X = pixels()
    torch.testing.assert_close(Colours()(X, generator()), X, atol=1e-5, rtol=0)


def test_changes_stay_within_their_bounds():
    X = torch.tensor([0.8, 0.4, 0.4]).view(1, 3, 1, 1).expand(4000, -1, -1, -1)  # hue 0, saturation 0.5, value 0.8
    hue, saturation, value = (part[:, 0, 0] for part in hsv_of(Colours(hue=30)(X, generator())))
    turned = (hue + 180) % 360 - 180
    assert turned.min() > -30.01 and turned.max() < 30.01 and abs(float(turned.mean())) < 2
    torch.testing.assert_close(saturation, torch.full_like(saturation, 0.5), atol=1e-4, rtol=0)
    assert value.std() < 1e-5
    _, saturation, _ = hsv_of(Colours(saturation_scale=0.25, saturation_shift=0.1)(X, generator()))
    assert saturation.min() > 0.5 / 1.25 - 0.1 - 1e-4 and saturation.max() < 0.5 * 1.25 + 0.1 + 1e-4
    assert saturation.min() < 0.35 and saturation.max() > 0.68  # and nearly reach them
    _, _, value = hsv_of(Colours(value_scale=0.5)(X, generator()))
    assert value.min() > 0.8 / 1.5 - 1e-4 and value.max() <= 1  # clamped


def test_all_pixels_of_an_image_change_alike():
    X = torch.rand(5, 3, 1, 1).expand(-1, -1, 4, 4)
    changed = Colours(40, 0.3, 0.2, 0.3, 0.2)(X, generator())
    assert (changed == changed[:, :, :1, :1]).all()


def test_a_window_without_scaling_has_the_size_and_colours_of_the_image():
    X = torch.full((50, 3, 16, 16), 0.7)
    windows = Windows(13)(X, generator())
    assert windows.shape == (50, 3, 13, 13)
    torch.testing.assert_close(windows, torch.full_like(windows, 0.7))  # all of it is within the image


def test_a_window_as_large_as_the_image_is_the_image_or_its_reflection():
    X = torch.randn(100, 3, 8, 8)
    windows = Windows(8)(X, generator())
    same = torch.isclose(windows, X, atol=1e-5).all(3).all(2).all(1)
    mirrored = torch.isclose(windows, X.flip(3), atol=1e-5).all(3).all(2).all(1)
    assert (same ^ mirrored).all() and 30 < same.sum() < 70
    torch.testing.assert_close(Windows(8, flip=False)(X, generator()), X, atol=1e-5, rtol=1e-5)


def test_windows_are_anywhere():
    ramp = torch.arange(16.0).view(1, 1, 1, 16).expand(2000, 3, 16, 16)  # the value is the column
    starts = Windows(11, flip=False)(ramp, generator())[:, 0, 0, 0]
    assert starts.min() < 0.1 and starts.max() > 4.9
    assert 2.3 < starts.mean() < 2.7


def test_beyond_the_border_zeros_enter():
    windows = Windows(16, scaling=0.3)(torch.full((300, 3, 16, 16), 0.7), generator())
    assert windows.min() == 0 and windows.max() < 0.7 + 1e-5
    inner = windows[:, :, 5:-5, 5:-5]  # within an image of 16 / 1.3 pixels, wherever it is
    torch.testing.assert_close(inner, torch.full_like(inner, 0.7))


def test_scaling_changes_the_slope_of_a_ramp():
    ramp = torch.arange(16.0).view(1, 1, 1, 16).expand(2000, 3, 16, 16)
    windows = Windows(8, scaling=0.25, flip=False)(ramp, generator())
    slopes = windows[:, 0, 4, 4] - windows[:, 0, 4, 3]
    assert slopes.min() > 1 / 1.25 - 1e-3 and slopes.max() < 1.25 + 1e-3
    assert slopes.min() < 0.83 and slopes.max() > 1.2


@pytest.mark.parametrize("make", [lambda: Colours(hue=-1), lambda: Windows(0), lambda: Windows(8, scaling=-0.1)])
def test_bad_bounds_are_refused(make):
    with pytest.raises(UserError, match="allowed"):
        make()


def test_a_window_larger_than_the_image_is_refused():
    with pytest.raises(UserError, match="at most the 8 pixels"):
        Windows(9)(torch.zeros(1, 3, 8, 8), generator())
