import type { WriteReceipt } from "@jaf/memory";
import type { WriteOutcome } from "@jaf/memory/adapter";
import type { SqlRow } from "./client/port.ts";

/** Of what follows `written`. */
const toReceipt = ([version, lastSeq, totalMessages, digest = "-"]: readonly string[]): WriteReceipt => ({
  nextPosition: Number(lastSeq),
  totalMessages: Number(totalMessages),
  version: Number(version),
  ...(digest === "-" ? {} : { historyDigest: digest }),
});

export function toWriteOutcome({ outcome }: SqlRow): WriteOutcome {
  const [status, ...values] = outcome?.split(" ") ?? [];
  switch (status) {
    case "written":
      return { status, receipt: toReceipt(values) };
    case "replayed":
    case "missing":
      return { status };
    case "version":
    case "metadata-version":
      return { status: "conflict", reason: status, actualVersion: Number(values[0]) };
    case "owner":
    case "idempotency-key":
    case "incarnation":
    case "length":
    case "message-id":
      return { status: "conflict", reason: status };
    default:
      throw new TypeError("unknown outcome of a write");
  }
}
