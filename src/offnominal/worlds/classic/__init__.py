"""CartPole and Pendulum of classic control, with every physical constant a physics parameter."""
