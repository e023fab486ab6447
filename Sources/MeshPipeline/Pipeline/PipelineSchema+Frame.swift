extension PipelineSchema {
  /// The part of the schema that does not depend on stages and formats, as JSON; the arguments are
  /// JSON too.
  static func frame(
    version: Int, stageNames: String, stageSummaries: String, formatIDs: String, stageCases: String,
    formatCases: String, axes: String, features: String, types: String, byteCounts: String,
    snippetStage: String, snippetFormat: String, placingStage: String
  ) -> String {
    #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "urn:meshpipe:pipeline:\#(version)",
      "title": "meshpipe pipeline",
      "description": "A chain of stages for a scan, and the files to write.",
      "type": "object",
      "properties": {
        "$schema": { "type": "string" },
        "meshpipe": { "description": "The version of the format.", "const": \#(version) },
        "name": {
          "description": "The pipeline's name in what outputs say of themselves; by default that of its file.",
          "type": "string"
        },
        "description": { "description": "What the pipeline is for.", "type": "string" },
        "note": { "description": "Anything else a reader should know.", "type": "string" },
        "provenance": {
          "description": "How much of what made it each output says: full with all options, short with names and hashes, or none.",
          "enum": ["full", "short", "none"], "default": "full"
        },
        "variables": {
          "description": "Values given with --var name=value and used as ${name}.",
          "type": "object",
          "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
          "additionalProperties": { "$ref": "#/$defs/variable" }
        },
        "levels": {
          "description": "Variants of the stages and outputs that depend on their values; ${level} is the name.",
          "type": "object", "minProperties": 1,
          "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
          "additionalProperties": { "$ref": "#/$defs/level" }
        },
        "inputs": {
          "description": "Further scans: merged with the input, or by an id for stages.",
          "type": "array", "items": { "$ref": "#/$defs/input" }
        },
        "stages": {
          "description": "The stages, in order.",
          "type": "array",
          "items": {
            "if": { "type": "object", "required": ["include"] },
            "then": { "$ref": "#/$defs/include" }, "else": { "$ref": "#/$defs/stage" }
          }
        },
        "outputs": {
          "description": "The files to write.",
          "type": "array", "items": { "$ref": "#/$defs/output" }
        }
      },
      "required": ["meshpipe"],
      "additionalProperties": false,
      "$defs": {
        "variable": {
          "type": "object",
          "properties": {
            "type": {
              "description": "A type such as length, a list such as [class], or low | high.",
              "type": "string",
              "anyOf": [
                { "enum": \#(types) }, { "pattern": "^\\[.+\\]$" }, { "pattern": "\\|" }
              ]
            },
            "default": { "description": "The value if --var is not given." },
            "minimum": { "description": "The smallest value." },
            "maximum": { "description": "The largest value." },
            "choices": {
              "description": "The allowed values.", "type": "array", "minItems": 1
            },
            "environment": {
              "description": "The environment variable that supplies the value if --var is not given.",
              "type": "string", "minLength": 1
            },
            "formerly": {
              "description": "Names that the variable had: values given under them count, with a warning.",
              "type": "array", "items": { "type": "string", "minLength": 1 }
            },
            "help": { "description": "What the variable is for.", "type": "string" }
          },
          "required": ["type"],
          "additionalProperties": false
        },
        "level": {
          "type": "object",
          "properties": {
            "enabled": {
              "description": "Whether it runs if --level names no level.", "$ref": "#/$defs/flag",
              "default": true
            },
            "note": { "description": "What the level is for.", "type": "string" },
            "with": {
              "description": "Values of variables in this level, instead of their defaults.",
              "type": "object"
            }
          },
          "additionalProperties": false
        },
        "reference": {
          "description": "A text with a variable.", "type": "string", "pattern": "\\$\\{[^}]+\\}"
        },
        "id": { "type": "string", "pattern": "^[A-Za-z0-9_$-]+$" },
        "flag": { "anyOf": [{ "type": "boolean" }, { "$ref": "#/$defs/reference" }] },
        "input": {
          "type": "object",
          "properties": {
            "path": {
              "description": "The scan, relative to the pipeline file, or with ${dir} to the input.",
              "type": "string", "minLength": 1
            },
            "id": {
              "description": "The id by which 'in' and 'from' name it; without one it is merged with the input.",
              "type": "string", "pattern": "^[A-Za-z0-9_-]+$"
            },
            "name": { "description": "The name of its meshes.", "type": "string" },
            "up": {
              "description": "Its up axis, if the file does not specify it.",
              "anyOf": [{ "enum": \#(axes) }, { "$ref": "#/$defs/reference" }]
            },
            "unit": {
              "description": "Its unit, if the file does not specify it.", "type": "string"
            },
            "classes": {
              "description": "What its numbers of classes stand for: arkit, asprs, none, or a JSON file of names by number, relative to the pipeline file.",
              "type": "string"
            },
            "aligned": {
              "description": "Whether it is brought to where it fits the input, instead of taken by its coordinates.",
              "type": "boolean"
            },
            "transform": {
              "description": "Its placement: options of the stage \#(placingStage).", "type": "object"
            },
            "note": { "description": "What it is.", "type": "string" }
          },
          "required": ["path"],
          "additionalProperties": false
        },
        "include": {
          "type": "object",
          "properties": {
            "include": {
              "description": "A pipeline file, relative to this one, whose stages are inserted here.",
              "type": "string", "minLength": 1
            },
            "note": { "description": "Why it is included.", "type": "string" }
          },
          "required": ["include"],
          "additionalProperties": false
        },
        "stage": {
          "type": "object",
          "defaultSnippets": [
            { "label": "stage", "body": { "use": "${1:\#(snippetStage)}", "with": {}, "note": "$2" } },
            {
              "label": "stage with a condition",
              "body": { "use": "${1:\#(snippetStage)}", "when": "${2:faces > 1000}", "with": {}, "note": "$3" }
            }
          ],
          "properties": {
            "use": {
              "description": "The kind of stage.", "enum": \#(stageNames),
              "enumDescriptions": \#(stageSummaries), "markdownEnumDescriptions": \#(stageSummaries)
            },
            "id": { "description": "A name for in, from and --set.", "$ref": "#/$defs/id" },
            "in": {
              "description": "The stage whose scene is used; several are merged. The default is the previous stage; input is the decoded input.",
              "anyOf": [
                { "$ref": "#/$defs/id" },
                {
                  "type": "array", "items": { "$ref": "#/$defs/id" }, "minItems": 1,
                  "uniqueItems": true
                }
              ]
            },
            "when": {
              "description": "A condition on the scene; if false, the stage is skipped.",
              "type": "string", "examples": ["classification and faces > 1000"]
            },
            "where": {
              "description": "The classes and meshes that the stage works on; * matches any characters.",
              "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 }
              ]
            },
            "optional": {
              "description": "Whether to omit the warning if the condition is false.",
              "type": "boolean", "default": false
            },
            "expect": {
              "description": "A condition on the result; if false, the run fails.",
              "type": "string", "examples": ["extent < 20m"]
            },
            "onError": {
              "description": "Whether a failure ends the run or skips the stage.",
              "enum": ["fail", "skip"], "default": "fail"
            },
            "enabled": { "$ref": "#/$defs/flag", "default": true },
            "note": { "description": "Why the stage is there.", "type": "string" },
            "with": { "description": "The options of the stage.", "type": "object" }
          },
          "required": ["use"],
          "additionalProperties": false,
          "allOf": \#(stageCases)
        },
        "output": {
          "type": "object",
          "defaultSnippets": [{ "label": "output", "body": { "path": "\\${stem}.${1:\#(snippetFormat)}" } }],
          "properties": {
            "path": {
              "description": "Where to write; ${stem}, ${name} and ${dir} are the input's.",
              "type": "string", "minLength": 1
            },
            "from": {
              "description": "The stage whose scene is written; the default is the last one.",
              "$ref": "#/$defs/id"
            },
            "format": {
              "description": "The format, if the extension does not determine it.",
              "anyOf": [{ "enum": \#(formatIDs) }, { "$ref": "#/$defs/reference" }]
            },
            "up": {
              "description": "The up axis of this output, whatever it is in the scene.",
              "anyOf": [{ "enum": \#(axes) }, { "$ref": "#/$defs/reference" }]
            },
            "when": {
              "description": "A condition on the scene; if false, the output is not written.",
              "type": "string", "examples": ["faces > 0"]
            },
            "optional": {
              "description": "Whether a failure to write it is only a warning.",
              "type": "boolean", "default": false
            },
            "loses": {
              "description": "Features that the format can't hold and that may be lost without a warning.",
              "anyOf": [
                { "const": "expected" },
                { "type": "array", "items": { "enum": \#(features) } }
              ]
            },
            "levels": {
              "description": "Whether each level has a file of its own, or all are levels of detail in one.",
              "enum": ["apart", "together"], "default": "apart"
            },
            "maximumBytes": {
              "description": "The most bytes of its files; textures and geometry are stored smaller until they fit.",
              "anyOf": \#(byteCounts)
            },
            "enabled": { "$ref": "#/$defs/flag", "default": true },
            "note": { "description": "What the output is for.", "type": "string" },
            "with": { "description": "The options of the format.", "type": "object" }
          },
          "required": ["path"],
          "additionalProperties": false,
          "allOf": \#(formatCases)
        }
      }
    }
    """#
  }
}
