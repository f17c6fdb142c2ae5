import { describeStreamCuts, someBytes } from "../../../../test/models/stream-cuts.ts";
import { generateContentApi } from "../support/generate-content-api.ts";
import { generateContentStream } from "../support/generate-content-stream.ts";

describeStreamCuts(generateContentApi, generateContentStream, someBytes);
