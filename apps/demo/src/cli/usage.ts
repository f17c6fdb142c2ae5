import { CHAT_COMMANDS } from "../chat/commands.ts";

export const USAGE = `JAF demo: a chat that remembers, with no server to install.

Usage: demo [command] [options]

Commands
  page            a server with its page (default): opens it in your browser, and prints its address
  serve           the server alone: nothing starts it again when it was killed, and no browser opens
  chat            talk to the agent in the terminal; it goes on where you stopped
  replay FILE     feed recorded conversations (JSON lines) through the engine, turn by turn;
                  after an interruption, run it again: it goes on without repeating a finished tool
  verify FILE     compare what is stored with the recording, message by message
  help            this text

Options
  --data DIR      folder that holds the conversations   (default: .jaf)
  --user NAME     whose conversations and facts         (default: you)
  --port N        where the page is, at 127.0.0.1       (default: 4780, or any that is free)
  --no-open       don't open the browser
  -h, --help      this text

Environment
  OPENAI_API_KEY                  a model of OpenAI's; without any an offline assistant answers
  ANTHROPIC_API_KEY               a model of Anthropic's
  GOOGLE_GENERATIVE_AI_API_KEY    a model of Google's
  OPENAI_BASE_URL, JAF_MODEL      of any other endpoint, e.g. http://localhost:11434/v1 and a model that it has
  JAF_MEMORY_TYPE                 where conversations are kept: redis, postgres or memory, with their variables

In a chat
${CHAT_COMMANDS.replaceAll(/^/gm, "  ")}

Each line of a chat's standard input is one message (one that ends in a backslash goes on in the next line), so a script can hold a conversation:
  printf '%s\\n' 'My name is Ada.' 'What is my name?' | npx pnpm@12.21.0 demo chat
`;
