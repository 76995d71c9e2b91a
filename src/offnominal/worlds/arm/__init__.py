"""Worlds with a UR3 robot arm: its kinematics, its MuJoCo model and the tasks."""
