extension PipelineSchema {
  /// The part of the schema that does not depend on stages and formats, as JSON; the arguments are
  /// JSON too.
  static func frame(
    version: Int, stageNames: String, stageSummaries: String, formatIDs: String, stageCases: String,
    formatCases: String,
    axes: String, types: String
  ) -> String {
    #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "urn:meshpipe:pipeline:\#(version)",
      "title": "meshpipe pipeline",
      "description": "A chain of stages over one scan, and the files that it becomes.",
      "type": "object",
      "properties": {
        "$schema": { "type": "string" },
        "meshpipe": { "description": "The version of the format.", "const": \#(version) },
        "description": { "description": "What the pipeline is for.", "type": "string" },
        "note": { "description": "What else a reader should know.", "type": "string" },
        "variables": {
          "description": "Values given with --var name=value, which stand as ${name}.",
          "type": "object",
          "propertyNames": { "pattern": "^[A-Za-z0-9_-]+$" },
          "additionalProperties": { "$ref": "#/$defs/variable" }
        },
        "inputs": {
          "description": "Scans that become one scene with the input.",
          "type": "array", "items": { "$ref": "#/$defs/input" }
        },
        "stages": {
          "description": "What is done, in order.",
          "type": "array",
          "items": {
            "if": { "type": "object", "required": ["include"] },
            "then": { "$ref": "#/$defs/include" }, "else": { "$ref": "#/$defs/stage" }
          }
        },
        "outputs": {
          "description": "The files that are written.",
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
            "default": { "description": "The value without --var." },
            "minimum": { "description": "The smallest value." },
            "maximum": { "description": "The largest value." },
            "choices": {
              "description": "The only values that are allowed.", "type": "array", "minItems": 1
            },
            "environment": {
              "description": "The environment variable that gives the value without --var.",
              "type": "string", "minLength": 1
            },
            "help": { "description": "What the variable is for.", "type": "string" }
          },
          "required": ["type"],
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
              "description": "The scan: beside the pipeline file, or with ${dir} beside the input.",
              "type": "string", "minLength": 1
            },
            "name": { "description": "What its meshes are called.", "type": "string" },
            "up": {
              "description": "The axis that points up in it, when it does not say so.",
              "anyOf": [{ "enum": \#(axes) }, { "$ref": "#/$defs/reference" }]
            },
            "unit": {
              "description": "The unit of its numbers, when it does not say so.", "type": "string"
            },
            "transform": {
              "description": "Where it stands: options of the stage transform.", "type": "object"
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
              "description": "A pipeline file, beside this one, whose stages stand here.",
              "type": "string", "minLength": 1
            },
            "note": { "description": "Why it is there.", "type": "string" }
          },
          "required": ["include"],
          "additionalProperties": false
        },
        "stage": {
          "type": "object",
          "defaultSnippets": [
            { "label": "stage", "body": { "use": "${1:decimate}", "with": {}, "note": "$2" } },
            {
              "label": "stage with a condition",
              "body": { "use": "${1:decimate}", "when": "${2:faces > 1000}", "with": {}, "note": "$3" }
            }
          ],
          "properties": {
            "use": {
              "description": "What the stage does.", "enum": \#(stageNames),
              "enumDescriptions": \#(stageSummaries), "markdownEnumDescriptions": \#(stageSummaries)
            },
            "id": { "description": "A name for in, from and --set.", "$ref": "#/$defs/id" },
            "in": {
              "description": "The stage that the scene comes from; several are merged. The stage before by default; input is the decoded input.",
              "anyOf": [
                { "$ref": "#/$defs/id" },
                {
                  "type": "array", "items": { "$ref": "#/$defs/id" }, "minItems": 1,
                  "uniqueItems": true
                }
              ]
            },
            "when": {
              "description": "A condition without which the stage is passed over.",
              "type": "string", "examples": ["classification and faces > 1000"]
            },
            "where": {
              "description": "The classes and meshes that the stage works on; * stands for any letters.",
              "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "type": "string" }, "minItems": 1 }
              ]
            },
            "optional": {
              "description": "Whether it is nothing to warn of when the condition does not hold.",
              "type": "boolean", "default": false
            },
            "expect": {
              "description": "A condition on the result without which the run ends.",
              "type": "string", "examples": ["extent < 20m"]
            },
            "onError": {
              "description": "Whether a failure ends the run or the stage is passed over.",
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
          "defaultSnippets": [{ "label": "output", "body": { "path": "\\${stem}.${1:glb}" } }],
          "properties": {
            "path": {
              "description": "Where to write; ${stem}, ${name} and ${dir} are the input's.",
              "type": "string", "minLength": 1
            },
            "from": {
              "description": "The stage whose scene is written; the last one by default.",
              "$ref": "#/$defs/id"
            },
            "format": {
              "description": "The format, when the extension does not tell.",
              "anyOf": [{ "enum": \#(formatIDs) }, { "$ref": "#/$defs/reference" }]
            },
            "up": {
              "description": "The axis that is up in this output, whatever it is in the scene.",
              "anyOf": [{ "enum": \#(axes) }, { "$ref": "#/$defs/reference" }]
            },
            "when": {
              "description": "A condition without which the output is not written.",
              "type": "string", "examples": ["faces > 0"]
            },
            "optional": {
              "description": "Whether a failure to write it is a warning only.",
              "type": "boolean", "default": false
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
