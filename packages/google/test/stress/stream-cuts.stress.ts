import { allLengths, describeStreamCuts } from "../support/stream-cuts.ts";

describeStreamCuts(allLengths);
