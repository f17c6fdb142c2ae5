import { describeResponsesStreamCuts, someLengths } from "../support/responses-stream-cuts.ts";

describeResponsesStreamCuts(someLengths);
