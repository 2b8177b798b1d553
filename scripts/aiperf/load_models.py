"""AIPerf's own models read artifact folders, in pydantic's strict mode: load_models.py FOLDER...

Prints a line for each file, and ends with 1 if one does not load or a model had nothing to read.
"""

import pathlib
import sys

from aiperf.common.models.dataset_models import InputsFile
from aiperf.common.models.export_models import JsonExportData, TimesliceCollectionExportData
from aiperf.common.models.record_models import MetricRecordInfo, RawRecordInfo
from aiperf.common.models.server_metrics_models import ServerMetricsExportData, SlimRecord

MODELS = {
    "profile_export_aiperf.json": JsonExportData,
    "profile_export_aiperf_timeslices.json": TimesliceCollectionExportData,
    "profile_export.jsonl": MetricRecordInfo,
    "profile_export_raw.jsonl": RawRecordInfo,
    "server_metrics_export.json": ServerMetricsExportData,
    "server_metrics_export.jsonl": SlimRecord,
    "inputs.json": InputsFile,
}


def failure(model, text):
    """Why a document does not load; None if it does."""
    try:
        model.model_validate_json(text, strict=True)
    except ValueError as error:
        return str(error)
    return None


failed = False
unread = set(MODELS)
for folder in map(pathlib.Path, sys.argv[1:]):
    for name, model in MODELS.items():
        path = folder / name
        if not path.exists():
            continue
        data = path.read_bytes()
        texts = data.splitlines() if path.suffix == ".jsonl" else [data]
        failures = [why for why in (failure(model, text) for text in texts) if why is not None]
        if texts:
            unread.discard(name)
        print(f"{folder.name}/{name}: {len(texts) - len(failures)} of {len(texts)} load as {model.__name__}")
        if failures:
            print(failures[0][:2000])
            failed = True
for name in sorted(unread):
    print(f"{name}: no folder has it")
sys.exit(1 if failed or unread else 0)
