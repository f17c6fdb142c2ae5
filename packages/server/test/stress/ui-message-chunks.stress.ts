import { describe, it } from "vitest";
import { expectContinued, expectLoadedMessage } from "../ai-sdk/support/chunk-properties.ts";

describe("the chunks of a turn", () => {
  it("are valid and produce the message that is loaded afterwards", () => expectLoadedMessage(1_000));

  it("continue a waiting message, and repeat it for clients that join later", () => expectContinued(500));
});
