"""The scikit-learn classifier, and what goes with it."""

from diffresnet.estimators.classifier import DiffResNetClassifier
from diffresnet.estimators.components import UnreachedWarning
from diffresnet.estimators.diagnosis import Diagnosis
from diffresnet.estimators.learning_curve import LearningCurve
from diffresnet.estimators.splitting import LabeledKFold

__all__ = [
    "Diagnosis",
    "DiffResNetClassifier",
    "LabeledKFold",
    "LearningCurve",
    "UnreachedWarning",
]
