import { describeEarlySettling } from "../support/early-stop.ts";

describeEarlySettling([2, 3]);
