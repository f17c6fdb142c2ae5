import { type Choices, type Environment, variablesOf } from "../choices.ts";

const NOTHING = "# Environment variables of this project, e.g. API keys.\n";

/** The text of `.env` with these values in place of the defaults. */
function environmentFile(choices: Choices, values: Environment): string {
  const entries = variablesOf(choices).map(
    ({ name, about, value }) => `# ${about}\n${name}=${values[name] ?? value}\n`,
  );
  return entries.join("\n") || NOTHING;
}

/** `.env` holds what the user typed in and isn't committed; `.env.example` says what it needs. */
export const environmentFiles = (choices: Choices) => ({
  ".env": environmentFile(choices, choices.secrets),
  ".env.example": environmentFile(choices, {}),
});
