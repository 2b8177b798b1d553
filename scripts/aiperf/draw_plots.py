"""`aiperf plot` with every picture that it knows: draw_plots.py OUTPUT FOLDER...

Pictures need a browser to become PNG. What they show is decided before: it is written as JSON here.
"""

import importlib.resources
import pathlib
import sys

import plotly.graph_objects
import yaml
from aiperf.cli import app

output, *folders = sys.argv[1:]
config = yaml.safe_load(
    importlib.resources.files("aiperf.plot").joinpath("default_plot_config.yaml").read_text()
)
pictures = config["visualization"]
for kind in ("single_run", "multi_run"):
    pictures[f"{kind}_defaults"] = list(pictures[f"{kind}_plots"])
pathlib.Path(output).mkdir(parents=True)
config_path = pathlib.Path(output, "plot_config.yaml")
config_path.write_text(yaml.safe_dump(config))


def write_image(figure, file, **_options):
    pathlib.Path(file).with_suffix(".json").write_text(figure.to_json())


plotly.graph_objects.Figure.write_image = write_image
app(["plot", *folders, "--output", output, "--config", str(config_path)])
