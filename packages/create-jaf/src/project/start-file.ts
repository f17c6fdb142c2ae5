import { type Choices, variablesOf } from "../choices.ts";

const HEAD = `// Loads .env and runs src/main.ts. Says in one line what is missing; other errors keep their stack.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(\`Node.js \${process.versions.node} is too old: install 20.19 or newer from https://nodejs.org\`);
  process.exit(1);
}
`;

const TAIL = `process.on("uncaughtException", (error) => {
  console.error(remedyOf(error) ?? error);
  process.exit(1);
});

process.chdir(import.meta.dirname);
if (existsSync(".env")) process.loadEnvFile();
CHECKSconst { register } = await import("tsx/esm/api");
register();
await import("./src/main.ts");
`;

/** The file `start.js`, which runs before TypeScript is loaded. It only has remedies for what can happen. */
export function startFile(choices: Choices): string {
  const remedies = remediesOf(choices).map(([condition, remedy]) => `  if (${condition}) return ${remedy};`);
  return [
    HEAD,
    "function remedyOf({ name, code, message }) {",
    ...remedies,
    "}",
    "",
    TAIL.replace("CHECKS", () => checksOf(choices)),
  ].join("\n");
}

/** What is checked before the program starts, because its own errors don't name the variable. */
function checksOf(choices: Choices): string {
  const names = variablesOf(choices).map(({ name }) => name);
  const checks: readonly (readonly [name: string, condition: string, remedy: string])[] = [
    ["MODEL", `!process.env.MODEL`, "MODEL is missing: add it to .env."],
    [
      "OPENAI_BASE_URL",
      `!/^https?:/.test(process.env.OPENAI_BASE_URL) || !URL.canParse(process.env.OPENAI_BASE_URL)`,
      "OPENAI_BASE_URL has to be a URL, e.g. http://localhost:11434/v1: correct it in .env.",
    ],
    [
      "PORT",
      `!/^\\d+$/.test((process.env.PORT ||= "3000")) || Number(process.env.PORT) > 65535`,
      "PORT has to be a number up to 65535, e.g. 3000: correct it in .env.",
    ],
  ];
  const lines = checks
    .filter(([name]) => names.includes(name))
    .map(([, condition, remedy]) => `if (${condition}) fail("${remedy}");\n`);
  if (lines.length === 0) return "";
  return `const fail = (line) => {\n  console.error(line);\n  process.exit(1);\n};\n${lines.join("")}`;
}

type Remedy = readonly [condition: string, expression: string];

function remediesOf(choices: Choices): readonly Remedy[] {
  const names = variablesOf(choices).map(({ name }) => name);
  const address = names.find((name) => name === "REDIS_URL" || name === "DATABASE_URL");
  return [
    [
      `code === "ERR_MODULE_NOT_FOUND" && message.includes("'tsx'")`,
      `"Run \`${choices.packageManager} install\` first."`,
    ],
    ...names
      .filter((name) => name.endsWith("_API_KEY"))
      .map((name): Remedy => [`message.includes("${name}")`, `"${name} is missing: add it to .env."`]),
    ...(address === undefined
      ? []
      : [
          [
            `name === "MemorySetupError" && /refused the login|no such database/.test(message)`,
            `\`\${message} Correct ${address} in .env.\``,
          ] as const,
        ]),
    address === undefined
      ? [`name === "PgliteFolderError"`, "message"]
      : [
          `name === "MemorySetupError"`,
          `\`\${message} Run \\\`docker compose up -d\\\`, or correct ${address} in .env.\``,
        ],
    ...(names.includes("PORT")
      ? [
          [
            `code === "EADDRINUSE"`,
            `\`Port \${process.env.PORT} is taken: stop the other program, or change PORT in .env.\``,
          ] as const,
        ]
      : []),
  ];
}
