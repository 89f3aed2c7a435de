"""Small convolutional networks that classify images: data, corruption of inputs, networks and one training loop.

    data = image_set("cifar10_jpeg", size=16, train=4000, validation=1000, test=1000)
    network = ConvolutionalNetwork((16, 32, 64), data.shape, data.classes, generator)
    trained = train(network, data, Training(cosine(0.1, epochs)), seed=0)
    trained.validation_error, trained.seconds                                       # of every epoch

    data            sets of the catalogue as images of one size, in three parts
    augmentation    shifts, flips and cutout; also those of DNGO (A.2)
    layers, and the first network; the others have a file each
    training        the loop, in float32 on the CPU, in bfloat16 on CUDA, which a checkpoint lets resume

A configuration is trained by itself: on one core a batch over configurations of such networks does not pay, since
convolutions are bound by arithmetic, and their widths differ.
"""

from core.foundation.lazy import exports

__getattr__, __dir__, __all__ = exports(__name__)
