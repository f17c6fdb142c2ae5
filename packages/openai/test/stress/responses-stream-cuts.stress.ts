import { allLengths, describeResponsesStreamCuts } from "../support/responses-stream-cuts.ts";

describeResponsesStreamCuts(allLengths);
