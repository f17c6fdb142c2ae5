import { describeOwnConnection } from "../support/half-open.ts";

describeOwnConnection("redis 5");
describeOwnConnection("ioredis");
describeOwnConnection("ioredis 5");
