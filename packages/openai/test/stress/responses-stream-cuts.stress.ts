import { describeStreamCuts, everyByte } from "../../../../test/models/stream-cuts.ts";
import { responsesApi } from "../support/responses-api.ts";
import { responsesStream } from "../support/responses-stream.ts";

describeStreamCuts(responsesApi, responsesStream, everyByte);
