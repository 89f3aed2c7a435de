"""The public names of this package; `__init__.py` imports each when it is first used."""

from core.vision.all_convolutional import AllConvolutional as AllConvolutional
from core.vision.augmentation import Augmentation as Augmentation
from core.vision.augmentation import Colours as Colours
from core.vision.augmentation import Windows as Windows
from core.vision.convolutional import ConvolutionalNetwork as ConvolutionalNetwork
from core.vision.data import Images as Images
from core.vision.data import ImageSet as ImageSet
from core.vision.data import image_set as image_set
from core.vision.evaluation import Trained as Trained
from core.vision.evaluation import evaluate as evaluate
from core.vision.residual import ResidualNetwork as ResidualNetwork
from core.vision.shake_shake import ShakeShake as ShakeShake
from core.vision.training import Training as Training
from core.vision.training import train as train
