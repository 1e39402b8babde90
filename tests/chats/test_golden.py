"""Each invented export against the chat files it becomes; those were read by a person."""

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sayso.chats.canonical import format_chat
from sayso.chats.importers import Imported, ImportOptions, import_file
from sayso.chats.importers.export import opened
from sayso.chats.importers.registry import IMPORTERS

GOLDEN = Path(__file__).parent / "golden"
EXPORTS: dict[str, tuple[str, dict[str, Any]]] = {
    "canonical.jsonl": ("canonical", {}),
    "canonical_snake_pt.jsonl": ("canonical", {}),
    "canonical_gaps_zh.jsonl": ("canonical", {"timezone": "Asia/Shanghai"}),
    "realtalk.json": ("realtalk", {"timezone": "Europe/Lisbon"}),
    "realtalk_autumn_de.json": ("realtalk", {"timezone": "Europe/Berlin"}),
    "realtalk_unordered_ja.json": ("realtalk", {"owner": "はな"}),
    "locomo.json": ("locomo", {}),
    "locomo_pair.json": ("locomo", {"timezone": "America/New_York"}),
    "locomo_minute.json": ("locomo", {}),
    "telegram_personal_en.json": ("telegram", {"timezone": "Europe/London"}),
    "telegram_old_ru.json": ("telegram", {}),
    "telegram_account.json": ("telegram", {}),
    "chatlab_qq.json": ("chatlab", {"timezone": "Asia/Shanghai"}),
    "chatlab_lines_de.jsonl": ("chatlab", {}),
    "chatlab_kakao_ms.json": ("chatlab", {"owner": "지우"}),
    "wechat_weflow.json": ("wechat", {}),
    "wechat_echotrace_group.json": ("wechat", {"owner": "阿黎"}),
    "wechat_chatlog.json": ("wechat", {}),
    "wechat_memotrace_old.csv": ("wechat-csv", {"owner": "小鱼"}),
    "wechat_memotrace_nine_names.csv": ("wechat-csv", {}),
    "wechat_memotrace_new.csv": ("wechat-csv", {"timezone": "Asia/Shanghai"}),
    "wechat_memotrace_gb18030.csv": ("wechat-csv", {"timezone": "Asia/Shanghai", "owner": "阿黎"}),
    "discord_dm.json": ("discord", {}),
    "discord_raw_fr.json": ("discord", {"timezone": "Europe/Paris"}),
    "table_kakaotalk.csv": ("table", {"timezone": "Asia/Seoul"}),
    "discord_partitioned": ("discord", {"timezone": "Europe/Berlin"}),
    "messenger_inbox": ("messenger", {"timezone": "Europe/Lisbon"}),
    "messenger_e2ee": ("messenger", {}),
    "instagram_inbox": ("messenger", {"owner": "Iñaki"}),
    "slack_zip": ("slack", {"timezone": "Africa/Lagos"}),
    "slack_top": ("slack", {"timezone": "Europe/Berlin"}),
    "slack_day.json": ("slack", {}),
    "slack_changes": ("slack", {"timezone": "Europe/Berlin", "owner": "Otto Brandt"}),
    "line_ja.txt": ("line", {"timezone": "Asia/Tokyo", "owner": "陸"}),
    "line_en_us.txt": ("line", {}),
    "line_zh_tw.txt": ("line", {}),
    "line_spaces_en.txt": ("line", {"owner": "Rui"}),
    "table_de.csv": ("table", {"timezone": "Europe/Vienna"}),
    "table_lines.jsonl": ("table", {"columns": (("sender", "from.name"), ("reply", "re"))}),
    "table_chatlog.tsv": ("table", {}),
    "table_us.csv": ("table", {}),
    "longmemeval_oracle.json": ("longmemeval", {}),
    "longmemeval_one.json": ("longmemeval", {"timezone": "America/New_York"}),
    "longmemeval_long_zh.json": ("longmemeval", {}),
    "whatsapp_android_ar.txt": ("whatsapp", {"timezone": "Africa/Cairo", "date_order": "dmy"}),
    "whatsapp_android_de.txt": ("whatsapp", {"timezone": "Europe/Berlin"}),
    "whatsapp_android_es.txt": ("whatsapp", {"timezone": "America/Bogota", "owner": "Ana"}),
    "whatsapp_android_us.txt": ("whatsapp", {"aliases": (("Sol", "Soledad"),)}),
    "whatsapp_ios_group.txt": ("whatsapp", {"timezone": "Europe/Vienna"}),
    "whatsapp_ios_zh.txt": ("whatsapp", {"timezone": "Asia/Taipei"}),
    "whatsapp_zip_ios_pt": ("whatsapp", {"timezone": "America/Sao_Paulo"}),
    "whatsapp_zip_android_fr": ("whatsapp", {"timezone": "Europe/Paris"}),
    "whatsapp_zip_android_ja": ("whatsapp", {}),
}


def written(imported: tuple[Imported, ...]) -> str:
    """The chats' files one after the other, then what was told of each."""
    lines: list[str] = []
    for one in imported:
        lines += format_chat(one.chat)
        report = one.report.model_dump(mode="json", exclude_defaults=True)
        told = ("unread", "repaired", "duplicates", "warnings", "notes")
        lines.append(json.dumps({k: report[k] for k in told if k in report}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_becomes_the_chats_that_were_read_by_eye(exports: Path, name: str) -> None:
    _, options = EXPORTS[name]

    imported = import_file(exports / name, ImportOptions.model_validate(options))

    assert written(imported) == (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name", [n for n, (_, options) in EXPORTS.items() if "." in n and "columns" not in options]
)
def test_the_right_format_is_the_first_to_recognise_an_export_whatever_its_name(
    exports: Path, tmp_path: Path, name: str
) -> None:
    disguised = tmp_path / "notes.bin"
    disguised.write_bytes((exports / name).read_bytes())

    with opened(disguised) as export:
        found = [form.id for form in IMPORTERS if form.recognises(export)]

    assert found[0] == EXPORTS[name][0]
    assert set(found[1:]) <= {"table"}


@pytest.mark.parametrize("name", [name for name in EXPORTS if "." not in name])
def test_a_folder_and_the_same_folder_zipped_become_the_same_chats(
    exports: Path, tmp_path: Path, name: str
) -> None:
    options = ImportOptions.model_validate(EXPORTS[name][1])
    packed = tmp_path / f"{name}.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("__MACOSX/._litter.json", b"\0\0")
        for file in sorted((exports / name).rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(exports / name))

    assert written(import_file(packed, options)) == written(import_file(exports / name, options))
