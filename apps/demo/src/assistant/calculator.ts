/** Calculates an expression with + - * / % ^, parentheses and decimals. Throws a `SyntaxError` or `RangeError`. */
export function calculate(expression: string): number {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/%^()]|[^\s]/g) ?? [];
  let position = 0;
  const peek = () => tokens[position];
  const accept = (...operators: string[]) => {
    const token = peek();
    if (token === undefined || !operators.includes(token)) return undefined;
    position += 1;
    return token;
  };

  function sum(): number {
    let left = product();
    for (let operator = accept("+", "-"); operator !== undefined; operator = accept("+", "-")) {
      const right = product();
      left = operator === "+" ? left + right : left - right;
    }
    return left;
  }

  function product(): number {
    let left = signed();
    for (let operator = accept("*", "/", "%"); operator !== undefined; operator = accept("*", "/", "%")) {
      const right = signed();
      if (operator !== "*" && right === 0) throw new RangeError("Division by zero.");
      left = operator === "*" ? left * right : operator === "/" ? left / right : left % right;
    }
    return left;
  }

  function signed(): number {
    return accept("-") === undefined ? power() : -signed();
  }

  function power(): number {
    const base = atom();
    return accept("^") === undefined ? base : base ** signed();
  }

  function atom(): number {
    if (accept("(") !== undefined) {
      const inside = sum();
      if (accept(")") === undefined) throw new SyntaxError("A closing parenthesis is missing.");
      return inside;
    }
    const token = peek();
    if (token === undefined) throw new SyntaxError("The expression ends too early.");
    if (!/^[\d.]/.test(token)) throw new SyntaxError(`"${token}" was not expected.`);
    position += 1;
    return Number(token);
  }

  const value = sum();
  if (peek() !== undefined) throw new SyntaxError(`"${peek()}" was not expected.`);
  if (!Number.isFinite(value)) throw new RangeError("The result is too large.");
  return value;
}
