"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.vision.augmentation import Augmentation as Augmentation
from core.vision.corruption import Colours as Colours
from core.vision.corruption import Windows as Windows
from core.vision.data import Images as Images
from core.vision.data import ImageSet as ImageSet
from core.vision.data import image_set as image_set
from core.vision.evaluation import evaluate as evaluate
from core.vision.networks.all_convolutional import AllConvolutional as AllConvolutional
from core.vision.networks.convolutional import ConvolutionalNetwork as ConvolutionalNetwork
from core.vision.networks.residual import ResidualNetwork as ResidualNetwork
from core.vision.networks.shake_shake import ShakeShake as ShakeShake
from core.vision.records import Trained as Trained
from core.vision.training import Training as Training
from core.vision.training import train as train
