"""Reads OTLP messages by the official Protobuf definitions, and lists what is in them."""

import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

IDS = ("traceId", "spanId", "parentSpanId")
SIZES = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def with_bytes(value):
    """OTLP writes IDs as hexadecimal digits where Protobuf's JSON has base64."""
    if isinstance(value, list):
        return [with_bytes(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, entry in value.items():
        if key in IDS:
            data = bytes.fromhex(entry)
            assert len(data) == SIZES[key] and any(data), (key, entry)
            result[key] = base64.b64encode(data).decode()
        else:
            result[key] = with_bytes(entry)
    return result


names = []
for kind, body in json.load(sys.stdin):
    service = trace_service_pb2.ExportTraceServiceRequest
    if kind == "metrics":
        service = metrics_service_pb2.ExportMetricsServiceRequest
    message = json_format.ParseDict(
        with_bytes(json.loads(body)), service(), ignore_unknown_fields=False
    )
    if kind == "metrics":
        for resource in message.resource_metrics:
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    assert metric.WhichOneof("data"), metric.name
                    for point in metric.histogram.data_points:
                        assert sum(point.bucket_counts) == point.count
                        assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                        assert 0 < point.start_time_unix_nano <= point.time_unix_nano
                    names.append(metric.name)
    else:
        for resource in message.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
                    names.append(span.name)
json.dump(names, sys.stdout)
