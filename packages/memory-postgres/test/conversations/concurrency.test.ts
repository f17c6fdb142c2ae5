import {
  describeSerializationFailure,
  describeStrictDefaults,
  describeWriters,
} from "../support/concurrency.ts";

describeWriters("a pool of 10");
describeStrictDefaults("a pool of 10");
describeSerializationFailure();
