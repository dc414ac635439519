// JSON without packages; part of the C# client (SpadesClient.cs).

using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text;

namespace Spades
{
    using JsonObject = Dictionary<string, object>;

    /// <summary>JSON as dictionaries, lists, texts, longs, doubles, booleans and null.</summary>
    public static class Json
    {
        private const int MostNested = 100;

        /// <summary>Return a text of an object, "" if it has none.</summary>
        public static string Text(JsonObject value, string name) =>
            value.TryGetValue(name, out var found) && found is string text ? text : "";

        public static string Write(object value)
        {
            var builder = new StringBuilder();
            Write(value, builder);
            return builder.ToString();
        }

        private static void Write(object value, StringBuilder builder)
        {
            if (value == null) builder.Append("null");
            else if (value is string text) WriteText(text, builder);
            else if (value is bool flag) builder.Append(flag ? "true" : "false");
            else if (value is int || value is long || value is double || value is float)
                builder.Append(Digits((IFormattable)value, value is int || value is long));
            else if (value is JsonObject fields)
                WriteAll("{", fields, field => WriteField(field.Key, field.Value, builder), "}", builder);
            else if (value is IEnumerable items)
                WriteAll("[", items.Cast<object>(), item => Write(item, builder), "]", builder);
            else throw new ArgumentException("a value is a " + value.GetType() + "; accepted: what JSON has");
        }

        private static string Digits(IFormattable number, bool whole) =>
            number.ToString(whole ? "D" : "R", CultureInfo.InvariantCulture);

        private static void WriteField(string name, object value, StringBuilder builder)
        {
            WriteText(name, builder);
            builder.Append(':');
            Write(value, builder);
        }

        private static void WriteAll<T>(
            string open, IEnumerable<T> items, Action<T> write, string close, StringBuilder builder)
        {
            builder.Append(open);
            var first = true;
            foreach (var item in items)
            {
                if (!first) builder.Append(',');
                first = false;
                write(item);
            }
            builder.Append(close);
        }

        private static void WriteText(string text, StringBuilder builder)
        {
            builder.Append('"');
            foreach (var sign in text)
            {
                if (sign == '"' || sign == '\\') builder.Append('\\').Append(sign);
                else if (sign < ' ') builder.Append("\\u00").Append(((int)sign).ToString("x2", CultureInfo.InvariantCulture));
                else builder.Append(sign);
            }
            builder.Append('"');
        }

        /// <summary>Return the value of a JSON text; throw FormatException if it is not JSON.</summary>
        public static object Read(string text)
        {
            var place = 0;
            var value = Value(text, ref place, 0);
            Space(text, ref place);
            if (place < text.Length) throw Unexpected(text, place);
            return value;
        }

        private static object Value(string text, ref int place, int nested)
        {
            Space(text, ref place);
            var sign = Sign(text, place);
            if (nested > MostNested) throw Unexpected(text, place);
            if (sign == '{')
            {
                var fields = new JsonObject();
                for (place++; !Closes(text, ref place, '}', fields.Count == 0);)
                {
                    Space(text, ref place);
                    var name = Quoted(text, ref place);
                    Space(text, ref place);
                    Skip(text, ref place, ":");
                    fields[name] = Value(text, ref place, nested + 1);
                }
                return fields;
            }
            if (sign == '[')
            {
                var items = new List<object>();
                for (place++; !Closes(text, ref place, ']', items.Count == 0);)
                    items.Add(Value(text, ref place, nested + 1));
                return items;
            }
            if (sign == '"') return Quoted(text, ref place);
            if (sign == 't') { Skip(text, ref place, "true"); return true; }
            if (sign == 'f') { Skip(text, ref place, "false"); return false; }
            if (sign == 'n') { Skip(text, ref place, "null"); return null; }
            return Number(text, ref place);
        }

        /// <summary>Return whether the list or object ends here; if not, skip the comma before its next item.</summary>
        private static bool Closes(string text, ref int place, char close, bool first)
        {
            Space(text, ref place);
            if (Sign(text, place) == close)
            {
                place++;
                return true;
            }
            if (!first) Skip(text, ref place, ",");
            return false;
        }

        private static object Number(string text, ref int place)
        {
            var start = place;
            while (place < text.Length && "+-.eE0123456789".IndexOf(text[place]) >= 0) place++;
            var digits = text.Substring(start, place - start);
            var culture = CultureInfo.InvariantCulture;
            if (long.TryParse(digits, NumberStyles.AllowLeadingSign, culture, out var whole)) return whole;
            if (double.TryParse(digits, NumberStyles.Float, culture, out var number)) return number;
            throw Unexpected(text, start);
        }

        private static string Quoted(string text, ref int place)
        {
            Skip(text, ref place, "\"");
            var builder = new StringBuilder();
            for (; Sign(text, place) != '"'; place++)
            {
                if (text[place] != '\\')
                {
                    builder.Append(text[place]);
                    continue;
                }
                var escaped = Sign(text, ++place);
                var index = "bfnrt\"\\/".IndexOf(escaped);
                if (index >= 0) builder.Append("\b\f\n\r\t\"\\/"[index]);
                else if (escaped == 'u' && place + 4 < text.Length && ushort.TryParse(
                    text.Substring(place + 1, 4), NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out var code))
                {
                    builder.Append((char)code);
                    place += 4;
                }
                else throw Unexpected(text, place);
            }
            place++;
            return builder.ToString();
        }

        private static char Sign(string text, int place) =>
            place < text.Length
                ? text[place]
                : throw new FormatException("JSON ends too early, after " + text.Length + " characters");

        private static void Space(string text, ref int place)
        {
            while (place < text.Length && " \t\r\n".IndexOf(text[place]) >= 0) place++;
        }

        private static void Skip(string text, ref int place, string expected)
        {
            if (string.CompareOrdinal(text, place, expected, 0, expected.Length) != 0) throw Unexpected(text, place);
            place += expected.Length;
        }

        private static FormatException Unexpected(string text, int place) =>
            new FormatException("JSON is wrong at character " + place + " of " + text.Length);
    }
}
