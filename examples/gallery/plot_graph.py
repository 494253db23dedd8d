"""
A graph alone: the karate club
==============================

`graph=` takes a graph of networkx, igraph, PyTorch Geometric or SciPy; features are not needed. Two
members have a label: the instructor and the officer, whose quarrel split the club.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from diffresnet import DiffResNetClassifier

club = nx.karate_club_graph()
truth = np.array([club.nodes[node]["club"] for node in club])
y = np.full(len(truth), "", dtype=truth.dtype)
y[[0, 33]] = truth[[0, 33]]
model = DiffResNetClassifier().fit(None, y, graph=club)
is_right = model.transduction_ == truth
print(f"{is_right.sum()} of {len(truth)} members are on the side that they took")

place = nx.spring_layout(club, seed=4)
figure, panel = plt.subplots(figsize=(8, 6), layout="constrained")
probability = model.label_distributions_[:, list(model.classes_).index("Officer")]
nx.draw_networkx_edges(club, place, ax=panel, alpha=0.3)
drawn = nx.draw_networkx_nodes(
    club,
    place,
    ax=panel,
    node_color=probability,
    cmap="coolwarm",
    node_size=[700 if node in (0, 33) else 260 for node in club],
    edgecolors=["black" if right else "lime" for right in is_right],
    linewidths=2,
)
nx.draw_networkx_labels(club, place, ax=panel, font_size=9)
figure.colorbar(drawn, label="probability of the officer's side")
panel.set_title("Two labels (large); green rings are wrong")
panel.axis("off")
plt.show()
