"""From weights to diffusion: the operator, its steps, its spectrum."""
