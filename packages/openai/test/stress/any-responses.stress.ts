import { describeAnyResponses } from "../support/any-responses.ts";

describeAnyResponses(3_000);
