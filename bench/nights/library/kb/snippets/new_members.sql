select age_group, count(*) as joined
from members
where home_branch = {{ branch }}
  and age_group not in ('staff')
  and joined_on between {{ period.start }} and {{ period.end }}
group by age_group
order by age_group
