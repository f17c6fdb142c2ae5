import { describeOpened, describeOwnConnection } from "../support/half-open.ts";

describeOwnConnection("redis");
describeOpened();
