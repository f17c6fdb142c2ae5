export const COLOURS = ["#57606a", "#0969da", "#cf5b00"] as const;
export const INK = "#1f2328";
export const FAINT = "#d0d7de";

type Attributes = Record<string, string | number>;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");

function attributesOf(attributes: Attributes): string {
  const pairs = Object.entries(attributes).map(([name, value]) => {
    const text = typeof value === "number" ? String(Number(value.toFixed(1))) : escaped(value);
    return ` ${name}="${text}"`;
  });
  return pairs.join("");
}

export const element = (name: string, attributes: Attributes, content = ""): string =>
  content === ""
    ? `<${name}${attributesOf(attributes)}/>`
    : `<${name}${attributesOf(attributes)}>${content}</${name}>`;

export const text = (content: string, attributes: Attributes): string =>
  element("text", { fill: INK, ...attributes }, escaped(content));

export const line = (x1: number, y1: number, x2: number, y2: number): string =>
  element("line", { x1, y1, x2, y2, stroke: FAINT });

/** A picture with a background of its own, so that it reads on a light page and on a dark one. */
export function picture(
  title: string,
  size: { readonly width: number; readonly height: number },
  content: readonly string[],
): string {
  const { width, height } = size;
  const background = element("rect", { width, height, rx: 6, fill: "#ffffff" });
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${width} ${height}`,
    width,
    height,
    "font-family": "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif",
    "font-size": 12,
    role: "img",
    "aria-label": title,
  };
  return `${element("svg", attributes, `\n${[element("title", {}, escaped(title)), background, ...content].join("\n")}\n`)}\n`;
}
