import { describeStreamCuts, someBytes } from "../../../../test/models/stream-cuts.ts";
import { responsesApi } from "../support/responses-api.ts";
import { responsesStream } from "../support/responses-stream.ts";

describeStreamCuts(responsesApi, responsesStream, someBytes);
