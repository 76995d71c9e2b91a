"""CartPole and Pendulum of classic control with their physical constants as physics parameters."""
