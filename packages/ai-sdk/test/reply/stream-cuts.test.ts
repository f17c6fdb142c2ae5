import { describeStreamCuts, someBytes } from "../../../../test/models/stream-cuts.ts";
import { compatibleApi } from "../support/compatible-api.ts";
import { compatibleStream } from "../support/compatible-stream.ts";

describeStreamCuts(compatibleApi, compatibleStream, someBytes);
