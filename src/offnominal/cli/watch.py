"""`offnominal watch`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offnominal.cli.app import SERVE, App
from offnominal.cli.options import count_option, number_option
from offnominal.cli.output import print_note
from offnominal.core.errors import InvalidParameter

watching = App(SERVE)

STDIN = Path("-")


@watching.command("watch")
def watch_command(
    folder: Annotated[Path, typer.Argument(help="Deployable folder of `tune` or `export-folder`.", file_okay=False)],
    source: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="Samples as JSON lines, or an MCAP file; - for standard input."),
    ] = None,
    robot: Annotated[str, typer.Option(help="Name of the robot of an MCAP file or of ROS 2.")] = "robot",
    follow: Annotated[bool, typer.Option("--follow", help="Wait for more at the end of the file.")] = False,
    out: Annotated[
        Path | None, typer.Option(dir_okay=False, help="File to append events to, instead of standard output.")
    ] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Write every score, too.")] = False,
    rules: Annotated[Path | None, typer.Option(dir_okay=False, help="When conditions become alarms (TOML).")] = None,
    threshold: Annotated[
        float | None, number_option("Threshold of the statistic; without the guarantee of the alarm.")
    ] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(dir_okay=False, help="File of the state, to go on after a restart.")
    ] = None,
    every: Annotated[float, number_option("Seconds between two checkpoints.", "--checkpoint-every", least=0.05)] = 1.0,
    webhook: Annotated[
        str, typer.Option(metavar="URL", help="Address that gets each event as a CloudEvent by POST.")
    ] = "",
    webhook_token: Annotated[
        str, typer.Option(envvar="OFFNOMINAL_WEBHOOK_TOKEN", help="Bearer token of the webhook.")
    ] = "",
    mqtt: Annotated[
        str, typer.Option(metavar="URL", envvar="OFFNOMINAL_MQTT", help="Broker, such as mqtt://host/arm.")
    ] = "",
    ros: Annotated[
        bool, typer.Option("--ros", help="Take samples from topics of ROS 2, and publish diagnostics.")
    ] = False,
    capacity: Annotated[int, count_option("Samples that wait at most.", most=10_000_000)] = 10_000,
    port: Annotated[
        int | None, count_option("Port for HTTP and WebSocket; 0 for any free one.", least=0, most=65535)
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to bind to; any but a loopback address demands a token.")
    ] = "127.0.0.1",
    token: Annotated[str, typer.Option(envvar="OFFNOMINAL_TOKEN", help="What a client must present.")] = "",
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Another name of this server, such as that of a proxy; can be repeated."),
    ] = None,
) -> None:
    """Monitor robots with a deployable folder.

    Samples come as JSON lines from standard input or a file, from an MCAP file of topics, with --port by HTTP and
    WebSocket, with --mqtt from a broker, with --ros from topics; events go out as JSON lines, and to the webhook, the
    broker and /diagnostics. With --port there are also a page, /metrics, /healthz and /readyz. Every robot has its own
    state. SIGTERM and Ctrl-C end it after the samples that have arrived; SIGHUP reads the folder anew. Needs
    onnxruntime, and no torch.

    Example: [bold]robot-logger | offnominal watch arm --checkpoint arm.state > events.jsonl[/]
    """
    from offnominal.watch.rules import Rules, load_rules
    from offnominal.watch.running import WatchOptions, watch

    if follow and (source is None or source == STDIN):
        raise InvalidParameter("--follow is for a file; give --input FILE.")
    options = WatchOptions(
        folder,
        source=None if source == STDIN else source,
        lines=(port is None and not mqtt and not ros) or source is not None,
        robot=robot,
        follow=follow,
        out=out,
        scores=scores,
        rules=Rules() if rules is None else load_rules(rules),
        threshold=threshold,
        checkpoint=checkpoint,
        every=every,
        webhook=webhook,
        webhook_token=webhook_token,
        mqtt=mqtt,
        ros=ros,
        capacity=capacity,
        port=port,
        host=host,
        token=token,
        allowed_hosts=tuple(allow_host or ()),
    )
    service = watch(options, announce=lambda address: print_note(f"Monitoring at {address} (Ctrl-C ends it)."))
    counts, alarms = service.fleet.counts, sum(service.fleet.alarms.values())
    print_note(f"{counts['samples']:,} samples of {len(service.fleet.robots)} robots, {alarms} alarms.")


@watching.command("operate")
def operate_command(
    order: Annotated[
        str,
        typer.Argument(
            help="acknowledge, shelve or unshelve an alarm; nominal or faulty: what the robot did since the last such "
            "order; begin-recalibration after maintenance, then recalibrate or undo-recalibration."
        ),
    ],
    robot: Annotated[str, typer.Argument(help="Name of the robot.")],
    address: Annotated[
        str, typer.Option("--at", metavar="URL", help="Address of the monitor.")
    ] = "http://127.0.0.1:8080",
    alarm: Annotated[str, typer.Option(help="Name of the alarm that is acknowledged or shelved.")] = "score",
    seconds: Annotated[float | None, number_option("Seconds on the shelf; an hour if not given.", least=0.0)] = None,
    token: Annotated[str, typer.Option(envvar="OFFNOMINAL_TOKEN", help="What the monitor demands.")] = "",
) -> None:
    """Give an order to a monitor that `watch --port` runs.

    Example: [bold]offnominal operate nominal r1 --at http://127.0.0.1:8080[/]
    """
    from offnominal.core.checks import one_of
    from offnominal.watch.orders import ORDERS, give_order

    one_of("order", order, tuple(ORDERS))
    data = {"robot": robot, "alarm": alarm, **({} if seconds is None else {"seconds": seconds})}
    events = give_order(address, order, data, token=token)
    if not events:
        print_note("Nothing changes.")
    for event in events:
        about = {"of the score": event.get("score_threshold"), "of the statistic": event.get("threshold")}
        known = [f"threshold {name} {value:.6g}" for name, value in about.items() if value is not None]
        units = [f"{event['units']:,} units"] if "units" in event else []
        print_note(", ".join([f"{event['robot']}: {event['kind'].replace('_', ' ')}", *units, *known]) + ".")
