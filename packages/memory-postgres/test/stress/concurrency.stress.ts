import { describeStrictDefaults, describeWriters } from "../support/concurrency.ts";

describeWriters("8 clients");
describeStrictDefaults("8 clients");
describeStrictDefaults("a pool of its own");
