import type { Agent } from "@jaf/core";
import { assistant } from "../assistant/agent.ts";
import type { PageContext } from "./page-context.ts";
import { keepPage, sendEmail, timer } from "./page-tools.ts";

/** The assistant of the terminal, with tools that show what a page and a server add to it. */
export const pageAssistant: Agent<PageContext, string> = {
  ...assistant,
  instructions: async (state) =>
    [
      typeof assistant.instructions === "string"
        ? assistant.instructions
        : await assistant.instructions(state),
      "Use send_email to send an email, timer to wait, and keep_page if the user pastes a page to keep.",
    ].join(" "),
  tools: [...(assistant.tools ?? []), sendEmail, timer, keepPage],
};
