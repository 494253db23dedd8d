"""The scikit-learn estimators, and what goes with them."""

from diffresnet.estimators.classifier import DiffResNetClassifier
from diffresnet.estimators.columns import ConstantLabelWarning
from diffresnet.estimators.components import UnreachedWarning
from diffresnet.estimators.diagnosis import Diagnosis
from diffresnet.estimators.learning_curve import LearningCurve
from diffresnet.estimators.multilabel import DiffResNetMultiLabelClassifier
from diffresnet.estimators.regressor import DiffResNetRegressor
from diffresnet.estimators.splitting import LabeledKFold

__all__ = [
    "ConstantLabelWarning",
    "Diagnosis",
    "DiffResNetClassifier",
    "DiffResNetMultiLabelClassifier",
    "DiffResNetRegressor",
    "LabeledKFold",
    "LearningCurve",
    "UnreachedWarning",
]
