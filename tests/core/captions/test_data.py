"""Images with captions: the generated ones, parts that are refused, and files of features."""

from __future__ import annotations

import numpy as np
import pytest

from core.captions.data import CaptionedImages, FeatureNetwork, ImageFeatures, Part, flickr8k, generated, read_features
from core.data import DataUnavailableError, load_frame
from core.foundation.errors import UserError


def test_generated_images_have_captions_of_what_they_show():
    data = generated((20, 5, 6), features=8)
    assert [len(part.names) for part in (data.training, data.validation, data.test)] == [20, 5, 6]
    assert data.features == 8 and len(set(data.training.names + data.test.names)) == 26
    for captions in data.validation.captions:
        noun = captions[0][2]
        assert len(captions) == 5 and all(noun in caption for caption in captions)
    np.testing.assert_allclose(data.training.features.mean(0), 0, atol=1e-5)
    np.testing.assert_allclose(data.training.features.std(0), 1, rtol=1e-5)


def test_a_feature_that_does_not_vary_stays_finite():
    part = Part(("a", "b"), ((("x",),), (("x",),)), np.array([[1.0, 2.0], [1.0, 4.0]], np.float32))
    data = CaptionedImages.of([part] * 3, least=1)
    np.testing.assert_allclose(data.test.features, [[0, -1], [0, 1]])


@pytest.mark.parametrize(
    "features", [np.zeros((2, 1), np.float32), np.zeros((1, 0), np.float32), np.zeros(1, np.float32)]
)
def test_parts_without_a_row_for_each_image_are_refused(features):
    with pytest.raises(UserError, match="1 images with captions of 1 and features of shape"):
        Part(("a",), ((("x",),),), features)


def test_features_that_are_not_finite_are_refused():
    with pytest.raises(UserError, match="nan or infinite"):
        Part(("a",), ((("x",),),), np.array([[np.nan]], np.float32))


def test_features_by_name(tmp_path):
    path = tmp_path / "features.npz"
    np.savez(path, names=np.array(["b.jpg", "a.jpg"]), features=np.array([[1, 2], [3, 4]]))
    found = read_features(path)
    np.testing.assert_array_equal(found.of(["a.jpg", "b.jpg", "a.jpg"]), [[3, 4], [1, 2], [3, 4]])
    assert "a.jpg" in found and "c.jpg" not in found


def test_files_that_are_refused(tmp_path):
    path = tmp_path / "features.npz"
    with pytest.raises(UserError, match=r"features.npz: .*allowed: a file of numpy.savez"):
        read_features(path)
    np.savez(path, names=np.array(["a"]))
    with pytest.raises(UserError, match=r"with names .n,. and features"):
        read_features(path)
    path.write_bytes(b"no archive")
    with pytest.raises(UserError, match=r"with names .n,. and features"):
        read_features(path)
    with pytest.raises(UserError, match="2 names, 1 of them different"):
        ImageFeatures(("a", "a"), np.zeros((2, 3), np.float32))
    with pytest.raises(UserError, match=r"FeatureNetwork.width is 0"):
        FeatureNetwork(width=0)


def test_flickr8k():
    """Real captions, where they are at hand, with made-up features of most images."""
    try:
        frame = load_frame("flickr8k_captions", download=False)
    except DataUnavailableError:
        pytest.skip("flickr8k_captions is not at hand")
    names = tuple(frame["image_id"].unique()[::2])
    features = ImageFeatures(names, np.arange(len(names), dtype=np.float32)[:, None] * np.ones((1, 2), np.float32))
    data = flickr8k(features, (50, 20, None), least=3)
    assert [len(part.names) for part in (data.training, data.validation)] == [50, 20]
    assert 400 < len(data.test.names) < 600  # about half of 1,000
    split = frame.drop_duplicates("image_id").set_index("image_id")["split"]
    for part, name in ((data.training, "train"), (data.validation, "dev"), (data.test, "test")):
        assert set(split[list(part.names)]) == {name} and set(part.names) <= set(names)
        assert all(len(captions) == 5 for captions in part.captions)
    with pytest.raises(UserError, match="images: validation is 900; allowed: up to"):
        flickr8k(features, (50, 900, 20))
