"""Towns with traffic: road graphs, vehicles, pedestrians, an ego vehicle, and anomalies in their behaviour."""

from offnominal.core.lazy_imports import lazy_attributes

__getattr__, __dir__ = lazy_attributes(
    __name__,
    {
        "behaviour": ("BEHAVIOURS", "Behaviour", "make_behaviour"),
        "errors": ("AnomalyNotPossible", "InvalidSpawn", "InvalidTown", "NoRoute"),
        "incidents": ("Incident", "TEMPORAL_ANOMALIES", "TemporalAnomaly"),
        "obstacle": ("Obstacle",),
        "places": ("Place",),
        "road_graph": ("LanePosition", "Pose", "RoadGraph"),
        "routes": ("Route", "plan_route"),
        "simulation": ("TownSimulation",),
        "snapshot": ("FRAMES", "Snapshot", "TICKS", "WARM_UP"),
        "town": ("Town", "make_town", "town_names"),
    },
)
