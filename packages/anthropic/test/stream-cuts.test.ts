import { describeStreamCuts, someLengths } from "./support/stream-cuts.ts";

describeStreamCuts(someLengths);
