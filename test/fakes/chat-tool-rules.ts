import { fieldsOf, isName, isObject, listOf, type Refusal } from "./chat-request.ts";

/** OpenAI's rules for `tools`, `tool_choice` and `response_format`. Returns the first broken rule. */
export function brokenToolRule(body: Readonly<Record<string, unknown>>): Refusal | undefined {
  const { tools, tool_choice: choice, response_format: format } = body;
  if (tools !== undefined && (!Array.isArray(tools) || tools.length === 0 || tools.length > 128))
    return { message: "Invalid 'tools'.", param: "tools" };
  if (choice !== undefined && tools === undefined)
    return { message: "'tool_choice' is only allowed when 'tools' are specified.", param: "tool_choice" };
  const names = listOf(tools).map((tool) => fieldsOf(fieldsOf(tool)[String(fieldsOf(tool)["type"])])["name"]);
  if (new Set(names).size < names.length) return { message: "Tool names must be unique.", param: "tools" };
  const broken = listOf(tools)
    .map((tool, index) => brokenTool(fieldsOf(tool), `tools[${index}]`))
    .find(Boolean);
  return broken ?? brokenChoice(choice, names) ?? brokenFormat(fieldsOf(format), body["messages"]);
}

function brokenTool(tool: Readonly<Record<string, unknown>>, param: string): Refusal | undefined {
  const { type } = tool;
  if (type !== "function" && type !== "custom") return { message: `Invalid value: '${type}'.`, param };
  const { name, parameters, strict } = fieldsOf(tool[type]);
  if (!isName(name)) return { message: `Invalid '${param}.function.name'.`, param, code: "invalid_value" };
  if (type === "custom" || parameters === undefined) return undefined;
  const schema = fieldsOf(parameters);
  const choices = ["oneOf", "anyOf", "allOf", "enum", "not"].filter((keyword) => keyword in schema);
  if (schema["type"] !== "object" || !isObject(schema["properties"]) || choices.length > 0)
    return {
      message: `Invalid schema for function '${name}': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.`,
      param: `${param}.function.parameters`,
      code: "invalid_function_parameters",
    };
  return strict === true ? brokenStrict(schema, `function '${name}'`) : undefined;
}

function brokenChoice(choice: unknown, names: readonly unknown[]): Refusal | undefined {
  if (choice === undefined || ["none", "auto", "required"].includes(String(choice))) return undefined;
  const named = fieldsOf(fieldsOf(choice)[String(fieldsOf(choice)["type"])])["name"];
  return names.includes(named)
    ? undefined
    : { message: "Tool choice names no tool of 'tools'.", param: "tool_choice" };
}

function brokenFormat(format: Readonly<Record<string, unknown>>, messages: unknown): Refusal | undefined {
  if (format["type"] === "json_object" && !/json/i.test(JSON.stringify(messages)))
    return {
      message:
        "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
      param: "messages",
    };
  if (format["type"] !== "json_schema") return undefined;
  const { name, schema, strict } = fieldsOf(format["json_schema"]);
  if (!isName(name))
    return { message: "Invalid 'response_format.json_schema.name'.", param: "response_format" };
  if (fieldsOf(schema)["type"] !== "object")
    return { message: `Invalid schema for response_format '${name}'.`, param: "response_format" };
  return strict === true ? brokenStrict(fieldsOf(schema), `response_format '${name}'`) : undefined;
}

const UNSUPPORTED = [
  ...["oneOf", "allOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"],
  ...["patternProperties", "propertyNames", "minLength", "maxLength", "prefixItems", "default", "$schema"],
];

/** The rules for structured outputs: closed objects, only required properties, and only supported keywords. */
function brokenStrict(schema: unknown, what: string): Refusal | undefined {
  if (!isObject(schema)) return { message: `Invalid schema for ${what}.`, code: "invalid_schema" };
  const broken = (why: string): Refusal => ({ message: `Invalid schema for ${what}: ${why}` });
  const unsupported = UNSUPPORTED.find((keyword) => keyword in schema);
  if (unsupported !== undefined) return broken(`'${unsupported}' is not permitted.`);
  const { type, properties, required, additionalProperties, items, anyOf, $defs } = schema;
  if (type === undefined && anyOf === undefined && !("$ref" in schema))
    return broken("schema must have a 'type' key.");
  if (type === "object") {
    if (additionalProperties !== false) return broken("'additionalProperties' is required to be false.");
    const names = Object.keys(fieldsOf(properties));
    if (!names.every((name) => listOf(required).includes(name)))
      return broken("'required' must hold every key.");
  }
  if (type === "array" && items === undefined) return broken("array schema missing items.");
  const inner = [
    ...Object.values(fieldsOf(properties)),
    ...Object.values(fieldsOf($defs)),
    ...listOf(anyOf),
    ...(items === undefined ? [] : [items]),
  ];
  return inner.map((each) => brokenStrict(each, what)).find(Boolean);
}
