// Numbers as text: the rounding rule of terminal, tables and pages, as in core/rounding.py.

const PRECISION = 12;

/**
 * Returns a number as a whole number of twelve digits and the power of ten of its first digit.
 * @param {number} value
 * @returns {[bigint, number]}
 */
function decimal(value) {
  const [digits, power] = Math.abs(value).toExponential(PRECISION - 1).split("e");
  return [BigInt(digits.replace(".", "")), Number(power)];
}

/**
 * Divides by a power of ten; halves are rounded up.
 * @param {bigint} number
 * @param {number} power
 */
function scaled(number, power) {
  if (power <= 0) return number * 10n ** BigInt(-power);
  const unit = 10n ** BigInt(power);
  return (number + unit / 2n) / unit;
}

/**
 * Returns a finite number with some digits after the point; halves are rounded away from zero, and zero has no sign.
 * @param {number} value
 * @param {number} digits
 */
export function fixed(value, digits) {
  const [number, power] = decimal(value);
  const rounded = scaled(number, PRECISION - 1 - power - digits);
  const text = String(rounded).padStart(digits + 1, "0");
  const place = text.length - digits;
  return (value < 0 && rounded ? "-" : "") + text.slice(0, place) + (digits ? `.${text.slice(place)}` : "");
}

/**
 * Returns a finite number with some significant digits and no trailing zeros.
 * @param {number} value
 * @param {number} [digits]
 */
export function significant(value, digits = 3) {
  if (value === 0) return "0";
  let [number, power] = decimal(value);
  number = scaled(number, PRECISION - digits);
  if (String(number).length > digits) [number, power] = [number / 10n, power + 1];
  const sign = value < 0 ? "-" : "";
  const text = String(number).replace(/0+$/, "");
  if (power < -4) return `${sign}${text[0]}${text.length > 1 ? `.${text.slice(1)}` : ""}e-${String(-power).padStart(2, "0")}`;
  if (power < 0) return `${sign}0.${"0".repeat(-power - 1)}${text}`;
  const whole = text.slice(0, power + 1).padEnd(power + 1, "0");
  return sign + whole + (text.length > power + 1 ? `.${text.slice(power + 1)}` : "");
}

/**
 * Returns a number for people; numbers from 100 have one digit after the point, those from 1,000 none.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function shown(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  if (!Number.isFinite(value)) return value.toLocaleString("en");
  const size = Math.abs(value);
  const text = size >= 1000 ? fixed(value, 0).replace(/\B(?=(\d{3})+$)/g, ",") : fixed(value, size >= 100 ? Math.min(digits, 1) : digits);
  return text.replace("-", "−");
}
