import { describeAnyResponses } from "../support/any-responses.ts";

describeAnyResponses(60);
